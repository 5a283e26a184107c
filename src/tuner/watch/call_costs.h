// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_CALL_COSTS_H
#define SARTOR_TUNER_WATCH_CALL_COSTS_H

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include <sartor/explorer.hpp>

#include "runtime/dispatch/call_rotation.h"
#include "tuner/measure/call_record.h"
#include "tuner/watch/costs.h"

namespace sartor {

/// The ticks of a call of a handler, whose entry times a few hundred calls in each window and is
/// left alone in between. In a pair, calls of what is in force and of its rival take turns.
class CallCosts final : public Costs {
public:
  CallCosts(std::unique_ptr<CallRotation> rotation, const ExplorerOptions &options,
            Configuration rival);

  /// Waits for its turn in the window first.
  std::optional<double> beat(const std::stop_token &stop) override;
  std::optional<Pair> pair(const std::stop_token &stop) override;
  double value() override;

private:
  /// Rotates what is in force and `others` until each has so many rounds, or nobody calls. False
  /// if stopped.
  bool gather(std::span<const Configuration> others, std::size_t rounds,
              const std::stop_token &stop);
  [[nodiscard]] bool has(std::size_t rounds) const;

  const std::unique_ptr<CallRotation> rotation_;
  const Configuration rival_;
  const std::chrono::nanoseconds apart_, longest_;
  CallRecord record_;
  std::vector<runtime::RotationSample> samples_; ///< Room for what threads give.
  std::vector<double> done_;                     ///< Since the last value().
};

} // namespace sartor

#endif
