// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SERVER_SPAWN_H
#define SARTOR_TEST_SERVER_SPAWN_H

#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

/// The standard streams of a program.
struct Streams {
  int in = STDIN_FILENO;
  int out = STDOUT_FILENO;
  int err = STDERR_FILENO;
};

/// Starts the program words[0] with the other words as arguments. The program ends with the thread
/// that has started it, because a test may crash.
inline pid_t spawn(const std::vector<std::string> &words, const Streams &streams) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t made = fork();
  if (made < 0)
    throw std::runtime_error("cannot run " + words[0]);
  if (made > 0)
    return made;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(streams.in, STDIN_FILENO);
  dup2(streams.out, STDOUT_FILENO);
  dup2(streams.err, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

#endif
