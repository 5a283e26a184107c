// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_VARIANTS_REPLAY_H
#define SARTOR_BENCH_NOISE_VARIANTS_REPLAY_H

#include <algorithm>
#include <cstddef>
#include <vector>

#include "variants.h"

namespace sartor::bench {

/// Replays a recording of variants for a program that activates them in some order: a variant's
/// next sample is one of the current round, or the one after its last sample.
class VariantsReplay {
public:
  /// `recorded` must outlive the replay.
  VariantsReplay(const RecordedVariants &recorded, std::size_t begin)
      : recorded_(recorded), now_(begin), next_(recorded.variants(), begin) {
    for (std::size_t i = 0; i < recorded.variants(); ++i)
      means_.push_back(recorded.rate_of(i));
  }

  /// Returns the next sample, as a share of the variant's mean. The first round follows the last
  /// one.
  RecordedVariants::Slice next(std::size_t variant) {
    std::size_t &round = next_[variant];
    now_ = round = std::max(round, now_);
    const auto &[rate, seconds] = recorded_.sample_time(variant, round++ % recorded_.rounds());
    return {rate / means_[variant], seconds};
  }

private:
  const RecordedVariants &recorded_;
  std::size_t now_;
  std::vector<std::size_t> next_; ///< Indexed by variant.
  std::vector<double> means_;
};

} // namespace sartor::bench

#endif
