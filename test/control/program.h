// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CONTROL_PROGRAM_H
#define SARTOR_TEST_CONTROL_PROGRAM_H

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sartor/sartor.hpp>

#include <unistd.h>

#include "client.h"
#include "comes_true.h"
#include "handlers/arithmetic.h"

/// $XDG_RUNTIME_DIR of this test alone, set before a socket is opened: the process has one socket.
inline const std::filesystem::path &runtime_directory() {
  static const std::filesystem::path made = [] {
    const auto path =
        std::filesystem::temp_directory_path() / ("sartor-control-" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    setenv("XDG_RUNTIME_DIR", path.c_str(), 1);
    setenv("SARTOR_POLICY", (path / "policy.json").c_str(), 1);
    return path;
  }();
  return made;
}

inline sartor::Options with_control() {
  (void)runtime_directory();
  sartor::Options options;
  options.control = true;
  return options;
}

/// A program with a control socket. A variant is made that gives a wrong result for other factors,
/// so that results show which code runs: 7 * 2 is 21 in the variant for the factor 3.
class Controlled : public testing::Test {
protected:
  static constexpr std::uint64_t kNative = 14;
  static constexpr std::uint64_t kVariant = 21;
  static sartor::Configuration factor(int value) { return {{"factor", sartor::unguarded(value)}}; }

  std::uint64_t call() { return scale_(7, 2, 1); }
  void do_it(nlohmann::json command) {
    const auto answer = client_.ask(command);
    EXPECT_EQ(answer.value("ok", false), true) << command << ' ' << answer;
  }
  nlohmann::json error_of(nlohmann::json command) {
    const auto answer = client_.ask(std::move(command));
    EXPECT_EQ(answer.value("ok", true), false) << answer;
    return answer.value("error", nlohmann::json::object());
  }
  nlohmann::json runtime_status() { return client_.ask({{"do", "status"}}).at("runtimes").back(); }

  sartor::Runtime runtime_{with_control()};
  sartor::Handler<std::uint64_t(std::uint64_t, std::uint64_t, unsigned)> scale_ =
      runtime_.handler<&scale>();
  Client client_{getpid()};
};

#endif
