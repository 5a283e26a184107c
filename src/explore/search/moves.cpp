// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/search/moves.h"

#include <algorithm>
#include <tuple>

namespace sartor {

using Place = SearchSpace::Place;

namespace {

/// Spaces of more lines have too many pairs of them.
constexpr std::size_t most_paired_lines = 4;

bool has_order(const SearchSpace &space, const Line &line) {
  const Dimension &dimension = space.dimensions()[line.members().front()];
  return dimension.is_ordered && dimension.settings.size() > 1;
}

} // namespace

Moves::Moves(const SearchSpace &space, const std::vector<Line> &lines) {
  for (std::size_t a = 0; a < lines.size() && lines.size() <= most_paired_lines; ++a)
    for (std::size_t b = a + 1; b < lines.size(); ++b)
      if (has_order(space, lines[a]) && has_order(space, lines[b])) {
        Move against;
        for (const std::size_t member : lines[a].members())
          against.steps.emplace_back(member, 1);
        for (const std::size_t member : lines[b].members())
          against.steps.emplace_back(member, -1);
        moves_.push_back(std::move(against));
      }
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (has_order(space, lines[i]))
      split(lines[i].members(), i, std::nullopt, 1);
}

void Moves::split(const Family &family, std::size_t line, std::optional<std::size_t> parent,
                  std::size_t depth) {
  if (family.size() < 2)
    return;
  const std::size_t first = moves_.size();
  const auto middle = family.begin() + std::ssize(family) / 2;
  const std::array<Family, 2> halves{Family(family.begin(), middle), Family(middle, family.end())};
  for (const std::size_t half : {0, 1}) {
    Move move{.steps = {},
              .depth = depth,
              .line = parent ? std::nullopt : std::optional(line),
              .parent = parent,
              .sibling = first + 1 - half};
    for (const std::size_t member : halves[half])
      move.steps.emplace_back(member, 1);
    moves_.push_back(std::move(move));
  }
  split(halves[0], line, first, depth + 1);
  split(halves[1], line, first + 1, depth + 1);
}

Place Moves::moved(const SearchSpace &space, Place here, Choice choice) const {
  for (const auto &[dimension, sign] : moves_[choice.move].steps) {
    const auto settings = static_cast<std::int64_t>(space.dimensions()[dimension].settings.size());
    const std::int64_t to = std::int64_t{here[dimension]} + (choice.up ? sign : -sign);
    if (here[dimension] > 0)
      here[dimension] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(to, 1, settings));
  }
  return here;
}

std::vector<std::size_t> Moves::members(Choice choice) const {
  std::vector<std::size_t> members;
  for (const auto &step : moves_[choice.move].steps)
    members.push_back(step.first);
  return members;
}

std::optional<double> Moves::gain_of_whole(const Move &move, bool up,
                                           const std::vector<Line> &lines,
                                           const Place &here) const {
  if (move.line) {
    const std::uint32_t position = lines[*move.line].position_in(here);
    return lines[*move.line].gained(position, up ? position + 1 : position - 1);
  }
  if (!move.parent)
    return std::nullopt;
  const auto &gain = moves_[*move.parent].sides[up].gain;
  return gain ? std::optional(gain->mean) : std::nullopt;
}

std::vector<Moves::Choice> Moves::ranked(const std::vector<Line> &lines, const Place &here) const {
  using Rank = std::tuple<int, std::size_t, double, std::size_t>; // the last for a strict order
  std::vector<std::pair<Rank, Choice>> choices;
  for (std::size_t i = 0; i < moves_.size(); ++i)
    for (const bool up : {true, false}) {
      const Move &move = moves_[i];
      const Side &side = move.sides[up];
      const std::size_t order = choices.size();
      if (side.is_tried) {
        // Good from where it was tried; the search has moved elsewhere since.
        if (side.gain && side.gain->is_better())
          choices.push_back({{0, 0, -side.gain->mean, order}, {i, up}});
        continue;
      }
      const auto whole = gain_of_whole(move, up, lines, here);
      const Gain *rest = nullptr;
      if (move.sibling && moves_[*move.sibling].sides[up].gain)
        rest = &*moves_[*move.sibling].sides[up].gain;
      if (whole && rest) {
        const double share = *whole - rest->mean;
        choices.push_back({{share > rest->error ? 1 : 3, move.depth, -share, order}, {i, up}});
      } else {
        choices.push_back({{2, move.depth, -whole.value_or(0), order}, {i, up}});
      }
    }
  std::ranges::sort(choices, {}, &std::pair<Rank, Choice>::first);
  std::vector<Choice> ranked;
  for (const auto &[rank, choice] : choices)
    ranked.push_back(choice);
  return ranked;
}

void Moves::is_made(Choice choice) {
  const auto gain = moves_[choice.move].sides[choice.up].gain;
  std::vector<std::size_t> outdated{choice.move};
  for (std::size_t i = choice.move; i < moves_.size(); ++i)
    if (moves_[i].parent && std::ranges::find(outdated, *moves_[i].parent) != outdated.end())
      outdated.push_back(i);
  for (const std::size_t i : outdated)
    moves_[i].sides = {};
  if (gain)
    moves_[choice.move].sides[!choice.up] = {true, Gain{-gain->mean, gain->error}};
}

} // namespace sartor
