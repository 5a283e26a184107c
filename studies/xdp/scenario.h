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

/// Where packets come from: of each the share `hits` is of the popular ones, which are as frequent
/// as 1, 1/2, 1/3, ... where `is_zipf`, and equally frequent otherwise; the others are any.
struct Mix {
  double hits = 0.9;
  std::size_t popular = 64;
  std::uint64_t first = 0; ///< The number of the first popular one.
  bool is_zipf = false;
  std::uint64_t seed = 1;
};

/// A handler with tables that are as large as a real one's, and traffic for it.
struct Scenario {
  std::string name;
  std::string handler;
  std::string_view object;
  std::string fast_path;                       ///< Its label.
  std::string table;                           ///< What the answers of that hang on.
  std::vector<Compared> maps;                  ///< All that it writes.
  std::function<void(const MapSource &)> load; ///< Fills the tables.
  /// A frame of 64 bytes at most; the same for the same number.
  std::function<std::string(std::uint64_t number)> popular;
  std::function<std::string(std::mt19937_64 &)> any;
};

/// By its name.
inline void PrintTo(const Scenario &scenario, std::ostream *out) { *out << scenario.name; }

/// One for each handler.
const std::vector<Scenario> &scenarios();

std::vector<std::string> frames_of(const Scenario &scenario, const Mix &mix, std::size_t count);

} // namespace xdp

#endif
