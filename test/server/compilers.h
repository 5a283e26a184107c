// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SERVER_COMPILERS_H
#define SARTOR_TEST_SERVER_COMPILERS_H

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "../engine/check.h"

/// The compiler processes of servers that this process has started, with SARTOR_TEST_OF set to its
/// number.
inline std::vector<pid_t> compilers() {
  std::vector<pid_t> found;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos ||
        !content_of(entry.path() / "comm").starts_with("sartor-compiler"))
      continue;
    const std::string mark = std::string("SARTOR_TEST_OF=") + std::to_string(getpid()) + '\0';
    if (content_of(entry.path() / "environ").contains(mark))
      found.push_back(std::stoi(name));
  }
  return found;
}

inline pid_t parent_of(pid_t process) {
  const std::string stat = content_of("/proc/" + std::to_string(process) + "/stat");
  std::istringstream behind_name(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  char state = 0;
  pid_t parent = 0;
  behind_name >> state >> parent;
  return parent;
}

#endif
