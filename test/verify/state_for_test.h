// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_VERIFY_STATE_FOR_TEST_H
#define SARTOR_TEST_VERIFY_STATE_FOR_TEST_H

#include <filesystem>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "core/quarantine/quarantine.h"

namespace sartor::test {

/// The key of a request that only tests have.
inline core::QuarantineKey key_named(const std::string &name) {
  return {base::hash_of({name}), base::hash_of({name}), name, R"({"B":16})", "build 1", "skylake"};
}

/// A state directory of the test's own, which does not exist yet.
class StateForTest : public testing::Test {
protected:
  StateForTest() { std::filesystem::create_directories(base_); }
  ~StateForTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }

  [[nodiscard]] std::filesystem::path path(const std::string &name) const { return base_ / name; }
  [[nodiscard]] std::filesystem::path state() const { return base_ / "state"; }
  [[nodiscard]] std::filesystem::path folder() const { return state() / core::kQuarantineFolder; }

private:
  std::filesystem::path base_ = std::filesystem::path(testing::TempDir()) /
                                ("sartor_quarantine_" + std::to_string(getpid()) + "_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name());
};

} // namespace sartor::test

#endif
