// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SARTOR_COMMAND_H
#define SARTOR_TEST_SARTOR_COMMAND_H

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

#include "paths.h"

/// The output of `sartor` (paths::sartor_command()) with these arguments.
inline std::string command(const std::string &arguments) {
  // NOLINTNEXTLINE(bugprone-command-processor): the commands are those of tests
  FILE *output = popen((paths::sartor_command() + " " + arguments + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t size = fread(part.data(), 1, part.size(), output))
    text.append(part.data(), size);
  pclose(output);
  return text;
}

#endif
