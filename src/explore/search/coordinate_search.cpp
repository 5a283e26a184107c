// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include <sartor/strategies.hpp>

#include "explore/search/families.h"
#include "explore/search/ledger.h"
#include "explore/search/line.h"
#include "explore/search/moves.h"

namespace sartor {

namespace {

using Place = SearchSpace::Place;

/// What a failed trial is taken for, as the log of a ratio: 20,000 times slower.
constexpr double failure = -10;

/// A pattern search (R. Hooke and T. A. Jeeves, "Direct Search Solution of Numerical and
/// Statistical Problems", Journal of the ACM 8, 1961; T. G. Kolda, R. M. Lewis and V. Torczon,
/// "Optimization by Direct Search", SIAM Review 45, 2003) over families of dimensions, then parts
/// of families, then single dimensions. Each proposal depends on what is known at the time only,
/// so any number of trials may be under way; a gain found from where the search no longer is, is
/// tried again from where it is. When no neighbour is better it starts again: elsewhere, or, with
/// few trials left, not far from the best (H. R. Lourenço, O. C. Martin and T. Stützle, "Iterated
/// Local Search", Handbook of Metaheuristics, 2003).
class CoordinateSearch final : public Strategy {
public:
  CoordinateSearch(const SearchSpace &space, const SearchOptions &options)
      : ledger_(space, options.most_trials), random_(options.seed), families_(families_of(space)) {
    Place middle;
    for (const Dimension &dimension : space.dimensions())
      middle.push_back(
          dimension.is_ordered ? static_cast<std::uint32_t>(dimension.settings.size() + 1) / 2 : 1);
    start_from(nearest_allowed(space, middle));
  }

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  struct LineLook {
    std::size_t line;
    std::uint32_t from, to;
  };
  /// Why a place was tried.
  struct Probe {
    Place base;
    std::size_t climb;
    std::variant<std::monostate, LineLook, Moves::Choice> what;
    bool is_learned = false;
  };

  void start_from(Place place);
  std::optional<Configuration> propose(const Place &place, Probe probe);
  std::optional<Configuration> ask_start();
  std::optional<Configuration> ask_line();
  std::optional<Configuration> ask_move();
  std::optional<Configuration> ask_neighbour();
  bool restart();
  Place somewhere_near(Place place);

  void learn();
  void move_on();

  Ledger ledger_;
  std::mt19937_64 random_;
  const std::vector<Family> families_;

  std::size_t climb_ = 0; ///< The number of the climb under way.
  Place here_;            ///< Where it is: its best place so far, or its start.
  std::vector<Line> lines_;
  Moves moves_;
  std::vector<std::size_t> single_; ///< Dimensions in the order in which they are looked at.
  std::map<Place, Probe> probes_;
};

void CoordinateSearch::start_from(Place place) {
  here_ = std::move(place);
  lines_.clear();
  for (const Family &family : families_)
    lines_.emplace_back(family, ledger_.space().dimensions()[family.front()]);
  moves_ = Moves(ledger_.space(), lines_);
  single_.resize(here_.size());
  std::iota(single_.begin(), single_.end(), std::size_t{0});
  std::ranges::shuffle(single_, random_);
}

std::optional<Configuration> CoordinateSearch::propose(const Place &place, Probe probe) {
  if (!ledger_.is_new(place))
    return std::nullopt;
  probes_.emplace(place, std::move(probe));
  return ledger_.ask(place);
}

std::optional<Configuration> CoordinateSearch::ask() {
  if (ledger_.left() == 0)
    return std::nullopt;
  do {
    for (const auto stage : {&CoordinateSearch::ask_start, &CoordinateSearch::ask_line,
                             &CoordinateSearch::ask_move, &CoordinateSearch::ask_neighbour})
      if (auto configuration = (this->*stage)())
        return configuration;
  } while (restart());
  return std::nullopt;
}

/// The generic code is what everything else is compared with.
std::optional<Configuration> CoordinateSearch::ask_start() {
  if (auto generic = propose(Place(here_.size()), {here_, climb_, {}}))
    return generic;
  return propose(here_, {here_, climb_, {}});
}

std::optional<Configuration> CoordinateSearch::ask_line() {
  const SearchSpace &space = ledger_.space();
  for (;;) {
    std::optional<LineLook> best;
    double share = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::uint32_t from = lines_[i].position_in(here_);
      if (const auto to = lines_[i].better(from)) {
        const Place place = nearest_allowed(space, lines_[i].moved(here_, *to), families_[i]);
        if (auto configuration = propose(place, {here_, climb_, LineLook{i, from, *to}}))
          return configuration;
      }
      if (const auto look = lines_[i].next(from); look && look->share > share)
        best = {i, from, look->position}, share = look->share;
    }
    if (!best)
      return std::nullopt;
    Line &line = lines_[best->line];
    line.is_tried(best->to);
    const Place place = nearest_allowed(space, line.moved(here_, best->to), line.members());
    if (auto configuration = propose(place, {here_, climb_, *best}))
      return configuration;
  }
}

std::optional<Configuration> CoordinateSearch::ask_move() {
  const SearchSpace &space = ledger_.space();
  for (const Moves::Choice choice : moves_.ranked(lines_, here_)) {
    const Place place =
        nearest_allowed(space, moves_.moved(space, here_, choice), moves_.members(choice));
    if (auto configuration = propose(place, {here_, climb_, choice})) {
      moves_.is_tried(choice);
      return configuration;
    }
  }
  return std::nullopt;
}

std::optional<Configuration> CoordinateSearch::ask_neighbour() {
  const SearchSpace &space = ledger_.space();
  for (const std::size_t i : single_) {
    const Dimension &dimension = space.dimensions()[i];
    const auto settings = static_cast<std::uint32_t>(dimension.settings.size());
    for (std::uint32_t k = 1; k <= settings + 1; ++k) {
      const std::uint32_t to = k % (settings + 1); // generic last
      const bool is_near =
          to == 0 || !dimension.is_ordered ||
          (here_[i] == 0 ? to == (settings + 1) / 2 : to + 1 == here_[i] || to == here_[i] + 1);
      if (!is_near || to == here_[i])
        continue;
      Place place = here_;
      place[i] = to;
      if (auto configuration = propose(nearest_allowed(space, place, {&i, 1}), {here_, climb_, {}}))
        return configuration;
    }
  }
  return std::nullopt;
}

/// Whether there is anything left to start from.
bool CoordinateSearch::restart() {
  const Place *best = ledger_.best_place();
  std::optional<Place> start;
  // A climb takes some trials a line; fewer are better spent near the best.
  if (best && ledger_.left() < 3 * lines_.size())
    start = nearest_allowed(ledger_.space(), somewhere_near(*best));
  else {
    // Families alike, as they are from the middle.
    Place place = ledger_.space().random(random_);
    for (const Family &family : families_)
      for (const std::size_t member : family)
        place[member] = place[family.front()];
    start = nearest_allowed(ledger_.space(), place);
  }
  if (!ledger_.is_new(*start))
    start = ledger_.random_new(random_);
  if (!start)
    return false;
  ++climb_;
  start_from(*std::move(start));
  return true;
}

/// Some dimensions a step off.
Place CoordinateSearch::somewhere_near(Place place) {
  for (std::size_t i = 0; i < place.size(); ++i) {
    const Dimension &dimension = ledger_.space().dimensions()[i];
    const auto settings = static_cast<std::uint32_t>(dimension.settings.size());
    if (std::uniform_int_distribution<int>(0, 2)(random_) > 0)
      continue;
    if (!dimension.is_ordered || settings == 1 || place[i] == 0)
      place[i] = std::uniform_int_distribution<std::uint32_t>(0, settings)(random_);
    else if (std::uniform_int_distribution<int>(0, 1)(random_) == 0)
      place[i] = std::max(place[i] - 1, 1U);
    else
      place[i] = std::min(place[i] + 1, settings);
  }
  return place;
}

void CoordinateSearch::tell(const Trial &trial) {
  if (!ledger_.tell(trial))
    return;
  learn();
  move_on();
}

/// Takes in what can be compared by now.
void CoordinateSearch::learn() {
  for (auto &[place, probe] : probes_) {
    const Outcome *base = ledger_.find(probe.base), *outcome = ledger_.find(place);
    if (probe.is_learned || probe.climb != climb_ || !base || !outcome)
      continue;
    probe.is_learned = true;
    if (base->failed)
      continue;
    const Gain more = outcome->failed ? Gain{failure} : gain(*base, *outcome);
    if (const auto *look = std::get_if<LineLook>(&probe.what))
      lines_[look->line].learn(look->from, look->to, more);
    else if (const auto *choice = std::get_if<Moves::Choice>(&probe.what))
      moves_.learn(*choice, more);
  }
}

/// Goes to the best place of this climb.
void CoordinateSearch::move_on() {
  for (const auto &[place, probe] : probes_) {
    const Outcome *here = ledger_.find(here_), *there = ledger_.find(place);
    if (!here || !there || there->failed || probe.climb != climb_)
      continue;
    if (!here->failed && !gain(*here, *there).is_better())
      continue;
    const bool is_step = probe.base == here_;
    here_ = place;
    if (const auto *choice = std::get_if<Moves::Choice>(&probe.what); choice && is_step)
      moves_.is_made(*choice);
  }
  // Somebody else may have found a better one.
  if (const Place *best = ledger_.best_place(); best && !probes_.contains(*best)) {
    const Outcome *here = ledger_.find(here_);
    if (here && (here->failed || gain(*here, *ledger_.find(*best)).is_better()))
      here_ = *best;
  }
}

} // namespace

std::unique_ptr<Strategy> coordinate_search(const SearchSpace &space, SearchOptions options) {
  return std::make_unique<CoordinateSearch>(space, options);
}

} // namespace sartor
