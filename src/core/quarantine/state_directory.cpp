// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/state_directory.h"

#include <cstdlib>

namespace sartor::core {

std::filesystem::path state_directory(const std::filesystem::path &chosen) {
  if (!chosen.empty())
    return chosen;
  // Both are hidden from a program that runs with raised rights.
  if (const char *state = secure_getenv("XDG_STATE_HOME"); state && *state == '/')
    return std::filesystem::path(state) / "sartor";
  const char *home = secure_getenv("HOME");
  return home && *home == '/' ? std::filesystem::path(home) / ".local/state/sartor"
                              : std::filesystem::path();
}

} // namespace sartor::core
