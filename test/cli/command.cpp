// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command.h"
#include "paths.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/wait.h>
#include <unistd.h>

namespace sartor::test {

Ran sartor(const std::string &arguments) { return run(paths::sartor_command() + " " + arguments); }

Ran run(const std::string &command) {
  const auto errors = std::filesystem::temp_directory_path() /
                      ("sartor-cli-test-" + std::to_string(getpid()) + ".err");
  const std::string line = command + " 2>'" + errors.string() + "'";
  Ran ran;
  // NOLINTNEXTLINE(bugprone-command-processor): the tests write the line themselves
  FILE *pipe = popen(line.c_str(), "r");
  if (!pipe)
    return ran;
  std::array<char, 4096> buffer;
  while (const auto size = fread(buffer.data(), 1, buffer.size(), pipe))
    ran.out.append(buffer.data(), size);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream file(errors);
  ran.err.assign(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(errors);
  return ran;
}

} // namespace sartor::test
