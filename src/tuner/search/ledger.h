// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_LEDGER_H
#define SARTOR_TUNER_SEARCH_LEDGER_H

#include <cstddef>
#include <map>
#include <optional>
#include <random>

#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// Combined result of the trials of one configuration.
struct Outcome {
  double score = 0;
  double error = 0;
  std::size_t sample_count = 0;
  bool failed = false;    ///< If set, the rest is invalid.
  bool cut_short = false; ///< Surely worse than the best.
};

/// How much better one score is than another, as the log of their ratio. Scores that are not
/// positive have no logarithm; for them, the difference as a share of their mean size.
struct Gain {
  double mean = 0;
  double error = 0; ///< Standard error; zero if it is not known.

  /// Better by more than one standard error. This is the rule of L. Breiman et al. for choosing
  /// among estimates ("Classification and Regression Trees", 1984, section 3.4.3). A search that
  /// waited for the usual two errors would miss most of the small improvements that it consists of,
  /// and a wrong step is corrected by later ones.
  [[nodiscard]] bool is_better() const noexcept { return mean > error; }
};
/// Gain of `to` over `from`, neither of which has failed.
Gain gain(const Outcome &from, const Outcome &to);

/// Records the configurations that a search has asked for and their results. Never proposes the
/// same coordinates twice; takes results in any order.
class Ledger {
public:
  Ledger(SearchSpace space, std::size_t most_trials);

  [[nodiscard]] const SearchSpace &space() const noexcept { return space_; }
  /// Number of trials that may still be asked for.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  /// True if the coordinates are allowed and have neither been asked for nor have a result.
  [[nodiscard]] bool is_new(const SearchSpace::Coordinates &coordinates) const;
  /// Random new coordinates, all equally likely; nothing if none are left, or if so few are left in
  /// a large space that none could be found.
  [[nodiscard]] std::optional<SearchSpace::Coordinates>
  random_new(std::mt19937_64 &generator) const;

  /// Records that new coordinates are being tried. Requires left() > 0.
  Configuration ask(const SearchSpace::Coordinates &coordinates);
  /// Records a result. One that was not asked for counts as well, and several of the same
  /// coordinates are weighted by their precision. Returns the coordinates, or nothing if they are
  /// not in the space.
  std::optional<SearchSpace::Coordinates> tell(const Trial &trial);

  /// Null without a result.
  [[nodiscard]] const Outcome *find(const SearchSpace::Coordinates &coordinates) const;
  /// True if a result that was asked for is still missing.
  [[nodiscard]] bool is_waiting() const;
  /// Null until a trial has succeeded.
  [[nodiscard]] const SearchSpace::Coordinates *best_coordinates() const noexcept {
    return best_ ? &*best_ : nullptr;
  }
  /// The interval holds the true score with a probability of 95 %, if nothing was selected: the
  /// best of many measured looks better than it is. It is a point if trials have no standard error.
  [[nodiscard]] Decision best() const;

private:
  SearchSpace space_;
  std::size_t left_;
  /// Results of all coordinates; nothing for those whose result is still missing.
  std::map<SearchSpace::Coordinates, std::optional<Outcome>> outcomes_;
  std::optional<SearchSpace::Coordinates> best_;
};

} // namespace sartor

#endif
