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

/// Ends the process with 1, at once, where `condition` does not hold.
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                         \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (false)

/// Runs in a child process, which then exits as programs do.
inline pid_t in_child(const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(50);
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

/// Nothing where it cannot be read: what the system tells of a process may go while it is read.
inline std::string content_of(const std::filesystem::path &path) {
  const std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf(); // iterators would throw
  return content.str();
}

/// The path of a file that is not there yet.
inline std::filesystem::path fresh_file(const char *name) {
  auto path =
      std::filesystem::temp_directory_path() / (std::string(name) + "." + std::to_string(getpid()));
  std::filesystem::remove(path);
  return path;
}

#endif
