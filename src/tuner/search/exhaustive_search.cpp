// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <vector>

#include <sartor/strategies.hpp>

#include "tuner/search/ledger.h"

namespace sartor {

namespace {

class ExhaustiveSearch final : public Strategy {
public:
  ExhaustiveSearch(const SearchSpace &space, const SearchOptions &options)
      : ledger_(space, options.most_trials), all_(space.all()) {}

  std::optional<Configuration> ask() override {
    for (; next_ < all_.size() && ledger_.left() > 0; ++next_)
      if (const auto coordinates = ledger_.space().coordinates_of(all_[next_]).value();
          ledger_.is_new(coordinates))
        return ledger_.ask(coordinates);
    return std::nullopt;
  }
  void tell(const Trial &trial) override { ledger_.tell(trial); }
  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  Ledger ledger_;
  const std::vector<Configuration> all_;
  std::size_t next_ = 0;
};

} // namespace

std::unique_ptr<Strategy> exhaustive_search(const SearchSpace &space, SearchOptions options) {
  return std::make_unique<ExhaustiveSearch>(space, options);
}

} // namespace sartor
