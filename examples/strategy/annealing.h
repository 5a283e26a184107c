// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <sartor/sartor.hpp>

/// Simulated annealing in 40 trials: accepts a worse neighbor by chance, less often as it cools.
class Annealing : public sartor::Strategy {
  const sartor::SearchSpace space_;
  std::set<sartor::SearchSpace::Coordinates> tried_;
  sartor::SearchSpace::Coordinates here_, next_;
  std::mt19937_64 random_{1};
  sartor::Decision best_;
  double score_ = -HUGE_VAL; // of here_
  bool waiting_ = false;

public:
  explicit Annealing(const sartor::SearchSpace &space)
      : space_(space), here_(space.dimensions().size()), next_(here_) {} // the generic code
  std::optional<sartor::Configuration> ask() override {
    for (int i = 0; !waiting_ && tried_.size() < 40 && i < 1000; ++i) {
      next_ = space_.allows(next_) ? next_ : here_;
      if ((waiting_ = tried_.insert(next_).second))
        return space_.at(next_);
      next_.at(random_() % next_.size()) += random_() % 2 == 0 ? 1 : -1; // again if already tried
    }
    return std::nullopt; // done, or waiting for a result
  }
  void tell(const sartor::Trial &t) override {
    if (!t.failed && (best_.estimate.windows == 0 || t.score > best_.estimate.mean))
      best_ = {t.configuration,
               {t.score, t.score - 2 * t.error, t.score + 2 * t.error, t.sample_count}};
    const double luck = 0.1 * std::log(std::generate_canonical<double, 53>(random_)); // at most 0
    if (!t.failed && t.score >= score_ + luck * std::pow(0.9, tried_.size()) * std::fabs(score_))
      here_ = next_, score_ = t.score;
    next_ = here_, waiting_ = false;
  }
  sartor::Decision best() const override { return best_; }
};
