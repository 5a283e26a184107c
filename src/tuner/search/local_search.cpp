// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <sartor/strategies.hpp>

#include "tuner/limits.h"
#include "tuner/search/ledger.h"

namespace sartor {

namespace {

using Place = SearchSpace::Place;

/// Iterated local search with one exchange: F. Hutter, H. Hoos and T. Stützle, "Automatic Algorithm
/// Configuration based on Local Search", AAAI 2007 (ParamILS). Neighbours differ in one point, the
/// first that is better is the next to go on from; where none is, it starts again near the best.
class LocalSearch final : public Strategy {
public:
  LocalSearch(const SearchSpace &space, const SearchOptions &options)
      : ledger_(space, options.most_trials), random_(options.seed),
        next_{middle(), Place(space.dimensions().size())} {}

  std::optional<Configuration> ask() override {
    if (ledger_.left() == 0)
      return std::nullopt;
    while (!next_.empty()) {
      const Place place = std::move(next_.back());
      next_.pop_back();
      if (ledger_.is_new(place))
        return ledger_.ask(place);
    }
    if (ledger_.is_waiting())
      return std::nullopt;
    here_ = start();
    return here_ ? std::optional(ledger_.ask(*here_)) : std::nullopt;
  }

  void tell(const Trial &trial) override {
    const auto place = ledger_.tell(trial);
    if (!place)
      return;
    const Outcome &now = *ledger_.find(*place);
    if (now.failed || (now.cut_short && place != here_))
      return;
    const Outcome *here = here_ ? ledger_.find(*here_) : nullptr;
    const bool is_first = !here || here->failed;
    if (place != here_ && !is_first && !gain(*here, now).is_better())
      return;
    here_ = *place;
    std::vector<Place> around = neighbours(*place);
    if (is_first) // the other start is not forgotten
      around.insert(around.end(), next_.begin(), next_.end());
    next_ = std::move(around);
  }

  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  [[nodiscard]] const std::vector<Dimension> &dimensions() const {
    return ledger_.space().dimensions();
  }

  /// Of settings that have an order; others stay generic.
  [[nodiscard]] Place middle() const {
    Place place;
    for (const Dimension &dimension : dimensions())
      place.push_back(
          dimension.is_ordered ? static_cast<std::uint32_t>(dimension.settings.size() + 1) / 2 : 0);
    return place;
  }

  /// In random order. Of settings that have an order those 1, 2, 4, ... away, and the generic one.
  std::vector<Place> neighbours(const Place &of) {
    std::vector<Place> found;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto add = [&](std::size_t setting) {
        if (setting == of[i])
          return;
        found.push_back(of);
        found.back()[i] = static_cast<std::uint32_t>(setting);
      };
      const Dimension &dimension = dimensions()[i];
      const std::size_t last = dimension.settings.size(), here = of[i];
      add(0);
      if (!dimension.is_ordered || here == 0) {
        for (std::size_t setting = 1; setting <= last;
             setting += dimension.is_ordered ? setting : 1)
          add(setting);
        continue;
      }
      for (std::size_t step = 1; step < last; step *= 2) {
        if (here > step)
          add(here - step);
        if (here + step <= last)
          add(here + step);
      }
    }
    std::ranges::shuffle(found, random_);
    return found;
  }

  /// New, near the best if there is one, else anywhere.
  std::optional<Place> start() {
    const Place *best = ledger_.best_place();
    for (int kick = 0; best && !best->empty() && kick < limits::most_kicks; ++kick) {
      Place place = *best;
      for (std::size_t i = 0; i < limits::kicked; ++i) {
        const std::size_t at = random_() % place.size();
        place[at] = static_cast<std::uint32_t>(random_() % (dimensions()[at].settings.size() + 1));
      }
      if (ledger_.is_new(place))
        return place;
    }
    return ledger_.random_new(random_);
  }

  Ledger ledger_;
  std::mt19937_64 random_;
  std::optional<Place> here_; ///< What the search goes on from.
  std::vector<Place> next_;   ///< To try, the last first.
};

} // namespace

std::unique_ptr<Strategy> local_search(const SearchSpace &space, SearchOptions options) {
  return std::make_unique<LocalSearch>(space, options);
}

} // namespace sartor
