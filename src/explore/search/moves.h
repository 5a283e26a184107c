// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_SEARCH_MOVES_H
#define SARTOR_EXPLORE_SEARCH_MOVES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "explore/search/line.h"

namespace sartor {

/// Steps to the next setting that several ordered dimensions take together, once their lines have
/// been searched: two families against each other, along the ridge that a limit on their product
/// makes; then parts of a family, in halves, quarters and so on down to single dimensions. That a
/// part can be judged by what the whole and the rest of it did is R. Dorfman's idea of testing in
/// groups ("The Detection of Defective Members of Large Populations", Annals of Mathematical
/// Statistics 14, 1943).
class Moves {
public:
  /// A move, and whether it is taken upwards or downwards.
  struct Choice {
    std::size_t move;
    bool up;
  };

  Moves() = default;
  Moves(const SearchSpace &space, const std::vector<Line> &lines);

  /// All that are worth trying, most promising first.
  [[nodiscard]] std::vector<Choice> ranked(const std::vector<Line> &lines,
                                           const SearchSpace::Place &here) const;
  /// `here` after a move; dimensions that are generic or at their last setting stay.
  [[nodiscard]] SearchSpace::Place moved(const SearchSpace &space, SearchSpace::Place here,
                                         Choice choice) const;
  /// The dimensions that a move concerns.
  [[nodiscard]] std::vector<std::size_t> members(Choice choice) const;

  void is_tried(Choice choice) { moves_[choice.move].sides[choice.up].is_tried = true; }
  void learn(Choice choice, const Gain &gain) { moves_[choice.move].sides[choice.up].gain = gain; }
  /// The move was made: what is known of it and its parts is from another place.
  void is_made(Choice choice);

private:
  struct Side {
    bool is_tried = false;
    std::optional<Gain> gain;
  };
  struct Move {
    std::vector<std::pair<std::size_t, int>> steps; ///< Dimension, and +1 or -1 when taken up.
    std::size_t depth = 0;
    std::optional<std::size_t> line;    ///< Whose half it is.
    std::optional<std::size_t> parent;  ///< Of which it is a half, if not of a line.
    std::optional<std::size_t> sibling; ///< The other half.
    std::array<Side, 2> sides = {};
  };

  void split(const Family &family, std::size_t line, std::optional<std::size_t> parent,
             std::size_t depth);
  [[nodiscard]] std::optional<double> gain_of_whole(const Move &move, bool up,
                                                    const std::vector<Line> &lines,
                                                    const SearchSpace::Place &here) const;

  std::vector<Move> moves_;
};

} // namespace sartor

#endif
