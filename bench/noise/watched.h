// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_WATCHED_H
#define SARTOR_BENCH_NOISE_WATCHED_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// A recording of change detection's measurements of a program in which nothing changed:
/// record_watch.cpp made it, and README_watched.md describes it. Costs are CPU time per request, in
/// any unit; NaN: there was no request.
struct Watched {
  static constexpr std::size_t kKinds = 8;
  static constexpr double kWindowSeconds = 2;

  /// A sample, followed by a pair: the active variant was measured on either side of the rival.
  struct Step {
    double sample, ours, rivals;
  };
  using Kinds = std::array<std::uint64_t, kKinds>;

  double step_seconds = 0;
  double sample_seconds = 0; ///< Seconds for which the rival was active.
  double work_seconds = 0;   ///< Seconds of CPU time of a pair's own work.
  std::vector<Step> steps;
  std::vector<Kinds> kinds; ///< One for each window.

  [[nodiscard]] double seconds() const { return step_seconds * static_cast<double>(steps.size()); }

  /// For recordings in which a pair measured the active variant on one side of the rival only and
  /// for a short time: extends the measurement by the samples before and after it.
  void take_samples_for_ours(double sample_lasts, double ours_lasted);

  /// Both functions throw std::runtime_error.
  static Watched read(const std::filesystem::path &path);
  void write(const std::filesystem::path &path) const;
};

} // namespace sartor::bench

#endif
