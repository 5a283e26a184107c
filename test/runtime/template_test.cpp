// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Templates of code from a program's view: first variants for other values are filled into a
/// template.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../jit/template_handlers.h"

namespace {

using namespace sartor;
using testing::HasSubstr;

constexpr std::int64_t kValues[] = {3, -1, 4, 1, -5, 9};

/// Uses new values until one of them was filled into a template.
void specialize_until_filled(Runtime &runtime) {
  const std::uint64_t before = runtime.statistics().filled;
  for (std::int64_t i = 0; runtime.statistics().filled == before; ++i) {
    ASSERT_LT(i, 1000);
    runtime.specialize({{"scale", 100 + i}, {"offset", i}});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

class TemplateOf : public testing::TestWithParam<CompilerLocation> {};

TEST_P(TemplateOf, FirstVariantsAreFilledAndComputeTheSame) {
  Runtime runtime({.compiler = GetParam()});
  auto handler = runtime.handler<&of_words>();
  specialize_until_filled(runtime);
  for (std::int64_t i = -20; i < 20; ++i) {
    const std::uint64_t filled = runtime.statistics().filled;
    auto done = runtime.specialize_async({{"scale", i}, {"offset", i * 1000}});
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      ASSERT_EQ(handler(kValues, 6, i, i * 1000), of_words(kValues, 6, i, i * 1000));
    EXPECT_EQ(done.get().front().origin, VariantOrigin::compiled);
    EXPECT_EQ(runtime.statistics().filled, filled + 1);
    EXPECT_EQ(handler(kValues, 6, i, i * 1000), of_words(kValues, 6, i, i * 1000));
    EXPECT_EQ(handler(kValues, 6, i + 1, 0), of_words(kValues, 6, i + 1, 0));
  }
}

INSTANTIATE_TEST_SUITE_P(ACompiler, TemplateOf,
                         testing::Values(CompilerLocation::in_process,
                                         CompilerLocation::out_of_process),
                         [](const auto &info) {
                           return info.param == CompilerLocation::in_process ? "Inside" : "Beside";
                         });

TEST(Templates, AreNotForOtherPoints) {
  Runtime runtime;
  for (int count = 1; count < 5; ++count)
    runtime.specialize({{"count", count}});
  EXPECT_EQ(runtime.statistics().filled, 0);
  EXPECT_THAT(runtime.space().json(), HasSubstr("\"operand\""));
}

TEST(Templates, AreReportedInTheEventLog) {
  const std::string log =
      std::filesystem::temp_directory_path() / ("sartor_template-" + std::to_string(getpid()));
  {
    Runtime runtime({.event_log = log});
    specialize_until_filled(runtime);
  }
  std::ifstream file(log);
  const std::string reported{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(reported, HasSubstr("\"event\":\"template\""));
  EXPECT_THAT(reported, HasSubstr("\"from\":\"template\""));
  std::filesystem::remove(log);
}

} // namespace
