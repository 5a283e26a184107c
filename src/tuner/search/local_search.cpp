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

using Coordinates = SearchSpace::Coordinates;

/// Iterated local search with one exchange: F. Hutter, H. Hoos and T. Stützle, "Automatic Algorithm
/// Configuration based on Local Search", AAAI 2007 (ParamILS). Neighbours differ in one point, and
/// the search continues at the first that is better. If there is none, it starts again near the
/// best.
class LocalSearch final : public Strategy {
public:
  LocalSearch(const SearchSpace &space, const SearchOptions &options)
      : ledger_(space, options.most_trials), random_(options.seed),
        next_{middle(), Coordinates(space.dimensions().size())} {}

  std::optional<Configuration> ask() override {
    if (ledger_.left() == 0)
      return std::nullopt;
    while (!next_.empty()) {
      const Coordinates coordinates = std::move(next_.back());
      next_.pop_back();
      if (ledger_.is_new(coordinates))
        return ledger_.ask(coordinates);
    }
    if (ledger_.is_waiting())
      return std::nullopt;
    here_ = start();
    return here_ ? std::optional(ledger_.ask(*here_)) : std::nullopt;
  }

  void tell(const Trial &trial) override {
    const auto coordinates = ledger_.tell(trial);
    if (!coordinates)
      return;
    const Outcome &now = *ledger_.find(*coordinates);
    if (now.failed || (now.cut_short && coordinates != here_))
      return;
    const Outcome *here = here_ ? ledger_.find(*here_) : nullptr;
    const bool is_first = !here || here->failed;
    if (coordinates != here_ && !is_first && !gain(*here, now).is_better())
      return;
    here_ = *coordinates;
    std::vector<Coordinates> around = neighbours(*coordinates);
    if (is_first) // keep the other start
      around.insert(around.end(), next_.begin(), next_.end());
    next_ = std::move(around);
  }

  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  [[nodiscard]] const std::vector<Dimension> &dimensions() const {
    return ledger_.space().dimensions();
  }

  /// Middle of all ordered settings; other points stay generic.
  [[nodiscard]] Coordinates middle() const {
    Coordinates coordinates;
    for (const Dimension &dimension : dimensions())
      coordinates.push_back(
          dimension.is_ordered ? static_cast<std::uint32_t>(dimension.settings.size() + 1) / 2 : 0);
    return coordinates;
  }

  /// Neighbours in random order: for ordered settings those 1, 2, 4, ... positions away, and the
  /// generic one.
  std::vector<Coordinates> neighbours(const Coordinates &of) {
    std::vector<Coordinates> found;
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

  /// New coordinates, near the best if there is one, otherwise anywhere.
  std::optional<Coordinates> start() {
    const Coordinates *best = ledger_.best_coordinates();
    for (int kick = 0; best && !best->empty() && kick < limits::most_kicks; ++kick) {
      Coordinates coordinates = *best;
      for (std::size_t i = 0; i < limits::kicked; ++i) {
        const std::size_t at = random_() % coordinates.size();
        coordinates[at] =
            static_cast<std::uint32_t>(random_() % (dimensions()[at].settings.size() + 1));
      }
      if (ledger_.is_new(coordinates))
        return coordinates;
    }
    return ledger_.random_new(random_);
  }

  Ledger ledger_;
  std::mt19937_64 random_;
  std::optional<Coordinates> here_; ///< Current position of the search.
  std::vector<Coordinates> next_;   ///< To try, the last first.
};

} // namespace

std::unique_ptr<Strategy> local_search(const SearchSpace &space, SearchOptions options) {
  return std::make_unique<LocalSearch>(space, options);
}

} // namespace sartor
