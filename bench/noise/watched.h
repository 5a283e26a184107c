// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_WATCHED_H
#define SARTOR_BENCH_NOISE_WATCHED_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// What the watch saw of a program in which nothing changed: record_watch.cpp made it, and
/// README_watched.md says how. Costs are what a request takes of the CPU, in any unit; NaN: no
/// request came.
struct Watched {
  static constexpr std::size_t kKinds = 8;
  static constexpr double kWindowSeconds = 2;

  /// A beat, and a pair right after it: what is in force was read on either side of the rival.
  struct Step {
    double beat, ours, rivals;
  };
  using Kinds = std::array<std::uint64_t, kKinds>;

  double step_seconds = 0;
  double slice_seconds = 0; ///< For which the rival was in force.
  double work_seconds = 0;  ///< Of CPU, that a pair took itself.
  std::vector<Step> steps;
  std::vector<Kinds> kinds; ///< One for each window.

  [[nodiscard]] double seconds() const { return step_seconds * static_cast<double>(steps.size()); }

  /// For recordings in which what is in force was read on one side of the rival's slice and for a
  /// short time only: as if it had been read for as long as the beats before and after it.
  void take_beats_for_ours(double beat_lasts, double ours_lasted);

  /// Both throw std::runtime_error.
  static Watched read(const std::filesystem::path &path);
  void write(const std::filesystem::path &path) const;
};

} // namespace sartor::bench

#endif
