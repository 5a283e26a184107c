// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_WATCH_COSTS_H
#define SARTOR_EXPLORE_WATCH_WATCH_COSTS_H

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include <sartor/explorer.hpp>

namespace sartor {

/// What a request costs in the running program, as the watch reads it: the objective, normalised
/// so that the offered load is no part of it. For use by one thread. Members throw what the
/// objective's functions do.
class Costs {
public:
  virtual ~Costs() = default;

  /// Of what is in force, over a beat; no number if no request came. Nothing if stopped.
  virtual std::optional<double> beat(const std::stop_token &stop) = 0;
  /// Of what is in force and of its rival, right after one another; what was in force is again. No
  /// numbers if there was no request, or the rival cannot be had. Nothing if stopped.
  virtual std::optional<std::pair<double, double>> pair(const std::stop_token &stop) = 0;
  /// The objective since the last call, of beats alone, in its own unit.
  virtual double value() = 0;
};

/// Of a counter, what it costs by count; of a ratio, itself; a gauge's readings as they are. Calls
/// are watched as a gauge of what one costs. Reads on the calling thread, which mostly sleeps.
class RequestCosts final : public Costs {
public:
  using PutInForce = std::function<void(const Configuration &)>;

  /// `objective` must outlive it. `put_in_force` may throw Error.
  RequestCosts(const Objective &objective, const ExplorerOptions &options, Configuration incumbent,
               Configuration rival, PutInForce put_in_force);

  std::optional<double> beat(const std::stop_token &stop) override;
  std::optional<std::pair<double, double>> pair(const std::stop_token &stop) override;
  double value() override;

private:
  struct Account {
    double count = 0;
    double cost = 0;
  };

  std::optional<double> read_counts(const std::stop_token &stop);
  std::optional<double> read_gauge(const std::stop_token &stop);
  [[nodiscard]] double cost() const;

  const Objective &objective_;
  const std::function<double()> &count_; ///< The objective's.
  const std::chrono::nanoseconds longest_;
  const double events_;
  const Configuration incumbent_, rival_;
  const PutInForce put_in_force_;
  Account done_;       ///< Since the last value().
  double seconds_ = 0; ///< In which that was.
};

} // namespace sartor

#endif
