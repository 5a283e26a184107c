// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_REPLICA_H
#define HYDRO_REPLICA_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "simulation.h"

namespace hydro {

/// A simulation that has all the time in the world: it makes an iteration at fixed times and sleeps
/// in between, so that several replicas fit on one machine. What an iteration costs is then CPU
/// time, not wall time.
class Replica {
public:
  struct Options {
    Index cells = 256;                         ///< In each direction.
    std::chrono::microseconds period{100'000}; ///< From iteration to iteration.
  };

  explicit Replica(const Kernels &kernels, const Options &options, Tile tile = kDefaultTile);

  /// So many iterations, each at its time; gives the CPU seconds of one, on average.
  double run(std::uint64_t iterations);
  /// Until asked to stop, after the iteration under way.
  void run(const std::stop_token &stop);

  /// Since the beginning; may be read from any thread. Their ratio is what a trial is about:
  /// `Objective::cost_per([&] { return replica.cpu_seconds(); }, [&] { return ...iterations(); })`.
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }
  [[nodiscard]] double iterations() const { return static_cast<double>(iterations_); }

private:
  void iterate();

  Simulation simulation_;
  std::chrono::microseconds period_;
  std::chrono::steady_clock::time_point next_;
  std::atomic<double> cpu_seconds_ = 0;
  std::atomic<std::uint64_t> iterations_ = 0;
};

} // namespace hydro

#endif
