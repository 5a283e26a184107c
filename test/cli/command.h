// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CLI_COMMAND_H
#define SARTOR_TEST_CLI_COMMAND_H

#include <string>

namespace sartor::test {

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs a shell command line.
Ran run(const std::string &line);

/// Runs the `sartor` command; the shell parses `arguments`.
Ran sartor(const std::string &arguments);

} // namespace sartor::test

#endif
