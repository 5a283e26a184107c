// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_LOGGED_H
#define SARTOR_TEST_RUNTIME_LOGGED_H

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

/// A test that reads the event log of its runtimes.
class Logged : public testing::Test {
protected:
  [[nodiscard]] sartor::Options logged() const {
    sartor::Options options;
    options.event_log = log_;
    return options;
  }
  [[nodiscard]] std::string log() const {
    std::ifstream file(log_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  ~Logged() override { std::filesystem::remove(log_); }

  std::filesystem::path log_ =
      std::filesystem::temp_directory_path() / ("sartor-test-" + std::to_string(getpid()) + ".log");
};

#endif
