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

/// What trials of one place came to.
struct Outcome {
  double score = 0;
  double error = 0;
  std::size_t slices = 0;
  bool failed = false;    ///< The rest says nothing then.
  bool cut_short = false; ///< Surely worse than the best.
};

/// How much better one score is than another, as the log of their ratio. Scores that are not
/// positive have no logarithm; for them the difference as a share of their mean size.
struct Gain {
  double mean = 0;
  double error = 0; ///< Standard error; zero if nothing is known of it.

  /// Better by more than one standard error. The rule is L. Breiman et al.'s for choosing among
  /// estimates ("Classification and Regression Trees", 1984, section 3.4.3): a search that waited
  /// for the usual two would pass by most of the small improvements that it is made of, and a
  /// wrong step is mended by later ones.
  [[nodiscard]] bool is_better() const noexcept { return mean > error; }
};
/// Of `to` over `from`, neither of which has failed.
Gain gain(const Outcome &from, const Outcome &to);

/// What a search has asked for and been told: never gives a place twice, takes results in any
/// order.
class Ledger {
public:
  Ledger(SearchSpace space, std::size_t most_trials);

  [[nodiscard]] const SearchSpace &space() const noexcept { return space_; }
  /// How many trials may still be asked for.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  /// Whether it is allowed and has neither been asked for nor been told of.
  [[nodiscard]] bool is_new(const SearchSpace::Place &place) const;
  /// A new one at random, all alike likely; nothing if none is left, or if so few are left in a
  /// large space that none could be found.
  [[nodiscard]] std::optional<SearchSpace::Place> random_new(std::mt19937_64 &generator) const;

  /// Notes that a new place is being tried. Requires left() > 0.
  Configuration ask(const SearchSpace::Place &place);
  /// Notes a result; one that was not asked for counts as well, and several of the same place are
  /// weighted by their precision. Returns the place, or nothing if it is none of the space's.
  std::optional<SearchSpace::Place> tell(const Trial &trial);

  /// Null until told.
  [[nodiscard]] const Outcome *find(const SearchSpace::Place &place) const;
  /// Whether results of places that were asked for have yet to come.
  [[nodiscard]] bool is_waiting() const;
  /// Null until a trial has succeeded.
  [[nodiscard]] const SearchSpace::Place *best_place() const noexcept {
    return best_ ? &*best_ : nullptr;
  }
  /// The interval holds the true score with a probability of 95 %, if nothing was chosen: the best
  /// of many measured looks better than it is. It is a point where trials have no standard error.
  [[nodiscard]] Decision best() const;

private:
  SearchSpace space_;
  std::size_t left_;
  /// Of each place asked for or told; nothing for those whose result has yet to come.
  std::map<SearchSpace::Place, std::optional<Outcome>> outcomes_;
  std::optional<SearchSpace::Place> best_;
};

} // namespace sartor

#endif
