// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_HOUR_H
#define SARTOR_BENCH_NOISE_HOUR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// A recording by record_hour.cpp, packed by pack_hour.py; README_hour.md describes it.
struct Hour {
  static constexpr double kSampleSeconds = 0.025;
  static constexpr std::size_t kSamplesPerKinds = 40;

  struct Slice {
    unsigned requests;
    double cost; ///< CPU time of a request in microseconds; 0 if there was none.
  };
  using Kinds = std::array<std::uint64_t, 8>;

  std::vector<Slice> sample_count;
  std::vector<Kinds> kinds; ///< One for every kSamplesPerKinds samples.

  /// True if the second variant was active in this sample.
  static bool is_rival(std::size_t sample_time) { return sample_time % 4 == 3; }

  /// Throws std::runtime_error.
  static Hour read(const std::filesystem::path &path);
};

} // namespace sartor::bench

#endif
