// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text that is not UTF-8 and is converted to JSON.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers/custom.h"

namespace {

using testing::HasSubstr;

class TextThatIsNoUtf8 : public testing::Test {
protected:
  TextThatIsNoUtf8() { options_.event_log = log_; }
  ~TextThatIsNoUtf8() override { std::filesystem::remove(log_); }

  [[nodiscard]] std::string events() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string log_ = testing::TempDir() + "sartor_latin1_" + std::to_string(getpid());
  sartor::Options options_;
};

TEST_F(TextThatIsNoUtf8, MayBeWhatAGeneratorThrows) {
  sartor::Runtime runtime(options_);
  runtime.add_custom("table", [](const sartor::GeneratorInput &) -> sartor::GeneratedCode {
    throw std::runtime_error("caf\xe9");
  });
  try {
    runtime.specialize({{"lookup", 1}});
    FAIL() << "no error";
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::bad_generator);
    EXPECT_THAT(error.what(), HasSubstr("caf\xe9"));
  }
  EXPECT_THAT(events(), HasSubstr("caf\uFFFD"));
}

} // namespace
