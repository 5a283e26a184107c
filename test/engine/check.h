// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_ENGINE_CHECK_H
#define SARTOR_TEST_ENGINE_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

/// Ends the process at once with status 1 if `condition` is false.
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                         \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (false)

/// Runs `body` in a child process, which then exits normally.
inline pid_t in_child(const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(250);
    body();
    std::exit(0);
  }
  return child;
}

inline void expect_good_end(pid_t child) {
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

/// Content of a file; empty if it cannot be read. Files in /proc may disappear while they are read.
inline std::string content_of(const std::filesystem::path &path) {
  const std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf(); // iterators would throw
  return content.str();
}

/// A path at which there is no file yet.
inline std::filesystem::path fresh_file(const char *name) {
  auto path =
      std::filesystem::temp_directory_path() / (std::string(name) + "." + std::to_string(getpid()));
  std::filesystem::remove(path);
  return path;
}

#endif
