// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_CALL_COSTS_H
#define SARTOR_TUNER_CHANGE_DETECTION_CALL_COSTS_H

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include <sartor/explorer.hpp>

#include "runtime/dispatch/call_rotation.h"
#include "tuner/change_detection/costs.h"
#include "tuner/measure/call_record.h"

namespace sartor {

/// Measures the ticks of a handler's calls. The entry times a few hundred calls in each window and
/// is left alone in between. In a pair, calls of the active configuration and of its rival
/// alternate.
class CallCosts final : public Costs {
public:
  CallCosts(std::unique_ptr<CallRotation> rotation, const ExplorerOptions &options,
            Configuration rival);

  /// Waits for its turn in the window first.
  std::optional<double> sample(const std::stop_token &stop) override;
  std::optional<Pair> pair(const std::stop_token &stop) override;
  double value() override;

private:
  /// Rotates the active configuration and `others` until each has `rounds` rounds, or no thread
  /// calls the handler. False if stopped.
  bool gather(std::span<const Configuration> others, std::size_t rounds,
              const std::stop_token &stop);
  [[nodiscard]] bool has(std::size_t rounds) const;

  const std::unique_ptr<CallRotation> rotation_;
  const Configuration rival_;
  const std::chrono::nanoseconds apart_, longest_;
  CallRecord record_;
  std::vector<runtime::RotationSample> samples_; ///< Buffer for samples taken from the threads.
  std::vector<double> done_;                     ///< Costs since the last value().
};

} // namespace sartor

#endif
