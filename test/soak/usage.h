// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SOAK_USAGE_H
#define SARTOR_TEST_SOAK_USAGE_H

#include <array>
#include <string>
#include <vector>

/// The system resources that a process holds at one time.
struct Usage {
  double seconds = 0; ///< Since the soak test began.
  std::array<double, 4> held{};

  static constexpr std::array<const char *, 4> names{"resident KiB", "mappings", "threads",
                                                     "files"};
  static Usage now(double seconds);
};

/// The limit of one resource during a soak: a floor for fluctuations, and a growth per minute.
struct Bound {
  double floor;
  double per_minute;
};
inline constexpr std::array<Bound, 4> bounds{{{6144, 256}, {48, 2}, {1, 0.02}, {1, 0.02}}};

/// The growth of one resource per minute: the median of the slopes between all pairs of samples,
/// which a few outliers do not change.
double growth_per_minute(const std::vector<Usage> &readings, std::size_t which);

/// Empty if no resource grows; otherwise names the resource, its growth and its limit.
std::string not_flat(const std::vector<Usage> &readings);

#endif
