// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_SCENARIO_H
#define SARTOR_STUDY_XDP_SCENARIO_H

#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "differential.h"
#include "kernel_map.h"

namespace xdp {

/// The distribution of packets: the share `hits` goes to the popular ones, with frequencies 1, 1/2,
/// 1/3, ... if `is_zipf`, and equal ones otherwise; the rest are arbitrary.
struct Mix {
  double hits = 0.9;
  std::size_t popular = 64;
  std::uint64_t first = 0; ///< The index of the first popular one.
  bool is_zipf = false;
  std::uint64_t seed = 1;
};

/// A handler with tables of realistic size, and traffic for it.
struct Scenario {
  std::string name;
  std::string handler;
  std::string_view object;
  std::string fast_path;      ///< The fast path's label.
  std::string table;          ///< The table that the fast path's results depend on.
  std::vector<Compared> maps; ///< All maps that it writes.
  std::function<void(const MapSource &)> load; ///< Fills the tables.
  /// A frame of at most 64 bytes, determined by the number.
  std::function<std::string(std::uint64_t number)> popular;
  std::function<std::string(std::mt19937_64 &)> any;
};

/// Prints the scenario's name.
inline void PrintTo(const Scenario &scenario, std::ostream *out) { *out << scenario.name; }

/// One scenario for each handler.
const std::vector<Scenario> &scenarios();

std::vector<std::string> frames_of(const Scenario &scenario, const Mix &mix, std::size_t count);

} // namespace xdp

#endif
