// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_HOUR_H
#define SARTOR_BENCH_NOISE_HOUR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// What record_hour.cpp recorded and pack_hour.py packed; README.md says how it came about.
struct Hour {
  static constexpr double kSliceSeconds = 0.025;
  static constexpr std::size_t kSlicesPerKinds = 40;

  struct Slice {
    unsigned requests;
    double cost; ///< Of a request, in microseconds of CPU; 0 if there was none.
  };
  using Kinds = std::array<std::uint64_t, 8>;

  std::vector<Slice> slices;
  std::vector<Kinds> kinds; ///< One for every kSlicesPerKinds slices.

  /// Whether the second variant was in force in this slice.
  static bool is_rival(std::size_t slice) { return slice % 4 == 3; }

  /// Throws std::runtime_error.
  static Hour read(const std::filesystem::path &path);
};

} // namespace sartor::bench

#endif
