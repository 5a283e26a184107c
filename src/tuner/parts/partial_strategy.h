// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PARTS_PARTIAL_STRATEGY_H
#define SARTOR_TUNER_PARTS_PARTIAL_STRATEGY_H

#include <memory>
#include <optional>
#include <utility>

#include "tuner/parts/components.h"

namespace sartor {

/// A strategy for some of the points; the settings of the others are fixed.
class PartialStrategy final : public Strategy {
public:
  /// `space` is the space that `strategy` searches.
  PartialStrategy(Configuration fixed, SearchSpace space, std::unique_ptr<Strategy> strategy)
      : fixed_(std::move(fixed)), space_(std::move(space)), strategy_(std::move(strategy)) {}

  std::optional<Configuration> ask() override {
    auto next = strategy_->ask();
    return next ? std::optional(merged(std::move(*next), fixed_)) : std::nullopt;
  }
  void tell(const Trial &trial) override {
    Trial part = trial;
    part.configuration = restricted(trial.configuration, space_);
    strategy_->tell(part);
  }
  [[nodiscard]] Decision best() const override {
    Decision best = strategy_->best();
    best.configuration = merged(std::move(best.configuration), fixed_);
    return best;
  }
  [[nodiscard]] std::size_t sample_count() const override { return strategy_->sample_count(); }

private:
  const Configuration fixed_;
  const SearchSpace space_;
  const std::unique_ptr<Strategy> strategy_;
};

} // namespace sartor

#endif
