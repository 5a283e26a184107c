// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_REQUEST_COSTS_H
#define SARTOR_TUNER_WATCH_REQUEST_COSTS_H

#include <chrono>
#include <functional>

#include <sartor/explorer.hpp>

#include "tuner/objective/cpu_time.h"
#include "tuner/watch/costs.h"

namespace sartor {

/// Of a counter, what it costs by count; of a ratio, itself; a gauge's readings as they are. Reads
/// on the calling thread, which mostly sleeps. In a pair, the rival has one slice as exploring
/// takes them, and what is in force, which costs nothing, a beat before and one after.
class RequestCosts final : public Costs {
public:
  using PutInForce = std::function<void(const Configuration &)>;

  /// `objective` must outlive it. `put_in_force` may throw Error.
  RequestCosts(const Objective &objective, const ExplorerOptions &options, Configuration incumbent,
               Configuration rival, PutInForce put_in_force);

  std::optional<double> beat(const std::stop_token &stop) override;
  std::optional<Pair> pair(const std::stop_token &stop) override;
  double value() override;

private:
  struct Account {
    double count = 0;
    double cost = 0;
    double seconds = 0;
  };

  std::optional<double> read(std::chrono::nanoseconds length, const std::stop_token &stop);
  std::optional<double> read_counts(std::chrono::nanoseconds length, const std::stop_token &stop);
  std::optional<double> read_gauge(std::chrono::nanoseconds length, const std::stop_token &stop);
  bool read_pair(Pair &pair, const std::stop_token &stop);
  std::optional<double> read_rival(double &seconds, const std::stop_token &stop);
  [[nodiscard]] double cost();

  const Objective &objective_;
  const std::function<double()> &count_; ///< The objective's.
  const std::chrono::nanoseconds slice_, longest_;
  const double events_;
  const Configuration incumbent_, rival_;
  const PutInForce put_in_force_;
  CpuTime cpu_;
  bool is_exact_ = false; ///< CPU time is taken by threads.
  bool is_busy_ = false;  ///< There were requests when last looked.
  Account done_;          ///< Since the last value().
};

} // namespace sartor

#endif
