// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_VARIANTS_REPLAY_H
#define SARTOR_BENCH_NOISE_VARIANTS_REPLAY_H

#include <algorithm>
#include <cstddef>
#include <vector>

#include "variants.h"

namespace sartor::bench {

/// A recording of variants as somebody who has them in force in some order would see it: each
/// variant's next slice is one of the round that others are in, or the one after what it had last.
class VariantsReplay {
public:
  /// `recorded` must outlive it.
  VariantsReplay(const RecordedVariants &recorded, std::size_t begin)
      : recorded_(recorded), now_(begin), next_(recorded.variants(), begin) {
    for (std::size_t i = 0; i < recorded.variants(); ++i)
      means_.push_back(recorded.rate_of(i));
  }

  /// As a share of what the variant does on the whole. After the last round comes the first.
  RecordedVariants::Slice next(std::size_t variant) {
    std::size_t &round = next_[variant];
    now_ = round = std::max(round, now_);
    const auto &[rate, seconds] = recorded_.slice(variant, round++ % recorded_.rounds());
    return {rate / means_[variant], seconds};
  }

private:
  const RecordedVariants &recorded_;
  std::size_t now_;
  std::vector<std::size_t> next_; ///< By variant.
  std::vector<double> means_;
};

} // namespace sartor::bench

#endif
