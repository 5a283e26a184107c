// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>

#include <sartor/strategies.hpp>

#include "tuner/search/ledger.h"

namespace sartor {

namespace {

/// J. Bergstra and Y. Bengio, "Random Search for Hyper-Parameter Optimization", Journal of Machine
/// Learning Research 13, 2012: the baseline for any search.
class RandomSearch final : public Strategy {
public:
  RandomSearch(const SearchSpace &space, const SearchOptions &options)
      : ledger_(space, options.most_trials), random_(options.seed) {}

  std::optional<Configuration> ask() override {
    if (ledger_.left() == 0)
      return std::nullopt;
    const auto coordinates = ledger_.random_new(random_);
    return coordinates ? std::optional(ledger_.ask(*coordinates)) : std::nullopt;
  }
  void tell(const Trial &trial) override { ledger_.tell(trial); }
  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  Ledger ledger_;
  std::mt19937_64 random_;
};

} // namespace

std::unique_ptr<Strategy> random_search(const SearchSpace &space, SearchOptions options) {
  return std::make_unique<RandomSearch>(space, options);
}

} // namespace sartor
