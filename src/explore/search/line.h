// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_SEARCH_LINE_H
#define SARTOR_EXPLORE_SEARCH_LINE_H

#include <cstdint>
#include <map>
#include <optional>

#include "explore/search/families.h"
#include "explore/search/ledger.h"

namespace sartor {

/// The search along one family of dimensions that are set alike: ordered settings from coarse to
/// fine between what is known to be worse, others one after another. Positions are those of a
/// place: 0 for generic, or 1 + the index of the setting.
///
/// Ordered settings are taken to have one top, so that a worse setting on either side closes the
/// search there, and the rest is halved until it is closed: the interval reduction of J. Kiefer,
/// "Sequential minimax search for a maximum", Proc. AMS 4, 1953, with halving in place of
/// Fibonacci's numbers because a few settings leave no room for them.
class Line {
public:
  /// One look worth taking, and the share of the line's settings that it decides on.
  struct Look {
    std::uint32_t position;
    double share;
  };

  Line(Family members, const Dimension &dimension);

  [[nodiscard]] const Family &members() const noexcept { return members_; }
  /// Where most of the members are.
  [[nodiscard]] std::uint32_t position_in(const SearchSpace::Place &place) const;
  /// All members moved so that the line goes from one position to another; what is out of step
  /// stays so.
  [[nodiscard]] SearchSpace::Place moved(SearchSpace::Place place, std::uint32_t to) const;

  /// Where to look next from `here`; nothing when the line is done.
  [[nodiscard]] std::optional<Look> next(std::uint32_t here) const;
  /// A position that was better than `here` by more than noise when it was tried.
  [[nodiscard]] std::optional<std::uint32_t> better(std::uint32_t here) const;
  /// How much is gained by going from one position to another; nothing if not known.
  [[nodiscard]] std::optional<double> gained(std::uint32_t from, std::uint32_t to) const;

  void is_tried(std::uint32_t position) { gains_.try_emplace(position); }
  void learn(std::uint32_t from, std::uint32_t to, const Gain &gain);

private:
  [[nodiscard]] std::optional<Look> next_ordered(std::uint32_t here) const;

  Family members_;
  std::uint32_t settings_;
  bool is_ordered_;
  std::optional<std::uint32_t> origin_; ///< Gains are against this position.
  /// Of each position tried; nothing where the result has yet to come or says nothing.
  std::map<std::uint32_t, std::optional<Gain>> gains_;
};

} // namespace sartor

#endif
