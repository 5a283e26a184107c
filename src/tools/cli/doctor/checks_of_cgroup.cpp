// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/doctor/checks_of_cgroup.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using State = Check::State;

constexpr std::uint64_t kMebibyte = 1U << 20U;
// A compilation of a handler of usual size takes about 100 MiB.
constexpr std::uint64_t kMemory = 128 * kMebibyte;

constexpr const char *kCompileElsewhere =
    "raise the limit, compile on a server (SARTOR_COMPILER), or ahead of time (sartor compile)";

std::optional<std::uint64_t> number_in(const fs::path &path) {
  std::uint64_t number = 0;
  std::ifstream file(path);
  return file >> number ? std::optional(number) : std::nullopt; // "max" is no number
}

/// The smallest memory that is left in a cgroup and those above it.
std::optional<std::uint64_t> memory_left(fs::path group, const fs::path &root) {
  std::optional<std::uint64_t> least;
  for (;; group = group.parent_path()) {
    if (const auto most = number_in(group / "memory.max")) {
      const std::uint64_t used = number_in(group / "memory.current").value_or(0);
      const std::uint64_t left = *most > used ? *most - used : 0;
      least = std::min(least.value_or(left), left);
    }
    if (group == root || group == group.parent_path())
      return least;
  }
}

/// The smallest share of processors: 1.5 for one and a half.
std::optional<double> processors_in(fs::path group, const fs::path &root) {
  std::optional<double> least;
  for (;; group = group.parent_path()) {
    double quota = 0;
    double period = 0;
    if (std::ifstream file(group / "cpu.max"); file >> quota >> period && period > 0)
      least = std::min(least.value_or(quota / period), quota / period);
    if (group == root || group == group.parent_path())
      return least;
  }
}

} // namespace

Checks checks_of_cgroup(const fs::path &group, const fs::path &root) {
  Checks checks;
  const auto memory = memory_left(group, root);
  if (!memory)
    checks.push_back({State::ok, "cgroup memory", "not limited"});
  else if (*memory >= kMemory)
    checks.push_back(
        {State::ok, "cgroup memory", std::to_string(*memory / kMebibyte) + " MiB left"});
  else
    checks.push_back(
        {State::warning, "cgroup memory",
         std::to_string(*memory / kMebibyte) +
             " MiB left; a compilation may take more, and the kernel kills the program",
         kCompileElsewhere});
  const auto processors = processors_in(group, root);
  if (processors && *processors < 1)
    checks.push_back({State::warning, "cgroup processors",
                      "less than one: the program is stopped while it compiles",
                      kCompileElsewhere});
  return checks;
}

} // namespace sartor::cli
