// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/doctor/check.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using State = Check::State;

// A compilation of a handler of usual size takes about 100 MiB.
constexpr std::uint64_t kMemory = 128 * kMebibyte;

constexpr const char *kCompileElsewhere =
    "raise the limit, compile on a server (SARTOR_COMPILER), or ahead of time (sartor compile)";

std::optional<std::uint64_t> number_in(const fs::path &path) {
  std::uint64_t number = 0;
  std::ifstream file(path);
  return file >> number ? std::optional(number) : std::nullopt; // "max" is no number
}

/// The smallest limit of a cgroup and those above it, up to `root`; `limit_of` gives that of one,
/// or nothing.
template <class LimitOf> auto least_of(fs::path group, const fs::path &root, LimitOf limit_of) {
  auto least = limit_of(group);
  while (group != root && group != group.parent_path()) {
    group = group.parent_path();
    if (const auto limit = limit_of(group))
      least = std::min(least.value_or(*limit), *limit);
  }
  return least;
}

/// The cached content of files that the kernel drops before it refuses memory.
std::uint64_t cached_in(const fs::path &group) {
  std::ifstream file(group / "memory.stat");
  std::string name;
  for (std::uint64_t bytes = 0; file >> name >> bytes;)
    if (name == "inactive_file")
      return bytes;
  return 0;
}

std::optional<std::uint64_t> memory_left(const fs::path &group) {
  const auto most = number_in(group / "memory.max");
  if (!most)
    return std::nullopt;
  const std::uint64_t charged = number_in(group / "memory.current").value_or(0);
  const std::uint64_t used = charged - std::min(charged, cached_in(group));
  return *most > used ? *most - used : 0;
}

/// The share of processors: 1.5 for one and a half.
std::optional<double> processors_in(const fs::path &group) {
  double quota = 0;
  double period = 0;
  std::ifstream file(group / "cpu.max");
  return file >> quota >> period && period > 0 ? std::optional(quota / period) : std::nullopt;
}

} // namespace

Checks checks_of_cgroup(const fs::path &group, const fs::path &root) {
  Checks checks;
  const auto memory = least_of(group, root, memory_left);
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
  const auto processors = least_of(group, root, processors_in);
  if (processors && *processors < 1)
    checks.push_back({State::warning, "cgroup processors",
                      "less than one: the program is stopped while it compiles",
                      kCompileElsewhere});
  return checks;
}

} // namespace sartor::cli
