// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SOAK_USAGE_H
#define SARTOR_TEST_SOAK_USAGE_H

#include <array>
#include <string>
#include <vector>

/// What a process holds of the system at one time.
struct Usage {
  double seconds = 0; ///< Since the soak's start.
  std::array<double, 4> held{};

  static constexpr std::array<const char *, 4> names{"resident KiB", "mappings", "threads",
                                                     "files"};
  static Usage now(double seconds);
};

/// How much of one thing a process may come to hold while it is soaked: a floor, for what comes and
/// goes, and something a minute.
struct Bound {
  double floor;
  double per_minute;
};
inline constexpr std::array<Bound, 4> bounds{{{6144, 256}, {48, 2}, {1, 0.02}, {1, 0.02}}};

/// By how much one thing grows in a minute: the median of the slopes between all pairs of readings,
/// which a few odd readings do not change.
double growth_per_minute(const std::vector<Usage> &readings, std::size_t which);

/// Empty if all is flat, else which thing is not, and how much it has grown against how much it
/// may.
std::string not_flat(const std::vector<Usage> &readings);

#endif
