// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_REQUEST_COSTS_H
#define SARTOR_TUNER_CHANGE_DETECTION_REQUEST_COSTS_H

#include <chrono>
#include <functional>

#include <sartor/explorer.hpp>

#include "tuner/change_detection/costs.h"
#include "tuner/objective/cpu_time.h"

namespace sartor {

/// Costs from the objective: for a counter, the cost by count; for a ratio, the ratio itself; for a
/// gauge, its values. The better of two configurations has the lower cost: if a ratio or gauge
/// should be high, or a counter low, the cost is the reciprocal. Samples on the calling thread,
/// which mostly sleeps. In a pair, the rival has one sample of the explorer's length, and the
/// active configuration, which costs nothing, one change detection sample before and one after.
class RequestCosts final : public Costs {
public:
  using Activate = std::function<void(const Configuration &)>;

  /// `objective` must outlive this object. `activate` may throw Error.
  RequestCosts(const Objective &objective, const ExplorerOptions &options, Configuration incumbent,
               Configuration rival, Activate activate);

  std::optional<double> sample(const std::stop_token &stop) override;
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
  const std::function<double()> &count_; ///< The objective's function.
  const std::chrono::nanoseconds sample_time_, longest_;
  const double events_;
  const Configuration incumbent_, rival_;
  const Activate activate_;
  CpuTime cpu_;
  bool is_exact_ = false; ///< CPU time is measured by thread.
  bool is_busy_ = false;  ///< The last look saw requests.
  Account done_;          ///< Count and cost since the last value().
};

} // namespace sartor

#endif
