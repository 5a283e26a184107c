// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sartor/error.hpp>
#include <sartor/strategies.hpp>

#include "explore/search/families.h"
#include "explore/search/ledger.h"

namespace sartor {

namespace {

using Place = SearchSpace::Place;

/// Searches parts of a system side by side: a trial tries something new in each of them, and each
/// is told what it did itself. Only that whole configurations are chosen keeps parts that do
/// disturb each other from misleading it: what is best for each is put together and tried.
class SeparableSearch final : public Strategy {
public:
  SeparableSearch(const SearchSpace &space,
                  const std::map<std::string, std::set<std::string>> &parts,
                  const SearchOptions &options);

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  struct Part {
    std::string name;                 ///< Empty for what is in no part.
    std::vector<std::size_t> members; ///< Its dimensions, as they are in `space`.
    SearchSpace space;
    std::unique_ptr<Strategy> search;
    std::optional<Place> next; ///< Asked for and not tried yet.
  };

  void add(std::string name, std::vector<std::size_t> members, const SearchOptions &options);
  [[nodiscard]] Place best_of_each() const;
  bool ask_part(Part &part) const;

  Ledger ledger_;
  std::mt19937_64 random_;
  std::vector<Part> parts_;
};

/// `place` with what concerns the part as it is there.
Place with(Place place, const std::vector<std::size_t> &members, const Place &of_part) {
  for (std::size_t i = 0; i < members.size(); ++i)
    place[members[i]] = of_part[i];
  return place;
}

Place part_of(const Place &place, const std::vector<std::size_t> &members) {
  Place of_part;
  for (const std::size_t member : members)
    of_part.push_back(place[member]);
  return of_part;
}

SeparableSearch::SeparableSearch(const SearchSpace &space,
                                 const std::map<std::string, std::set<std::string>> &parts,
                                 const SearchOptions &options)
    : ledger_(space, options.most_trials), random_(options.seed) {
  std::vector<std::size_t> rest(space.dimensions().size());
  std::ranges::generate(rest, [n = std::size_t{0}]() mutable { return n++; });
  for (const auto &[name, labels] : parts) {
    std::vector<std::size_t> members;
    for (const std::string &label : labels) {
      const auto found = std::ranges::find(space.dimensions(), label, &Dimension::label);
      if (found == space.dimensions().end())
        throw Error({ErrorCode::unknown_label, label, "is no dimension of the space",
                     "take the label out of part \"" + name + '"'});
      members.push_back(static_cast<std::size_t>(found - space.dimensions().begin()));
      if (std::erase(rest, members.back()) == 0)
        throw Error({ErrorCode::bad_objective, label, "is in two parts",
                     "search what several parts depend on in none of them"});
    }
    add(name, std::move(members), options);
  }
  add("", std::move(rest), options);
}

void SeparableSearch::add(std::string name, std::vector<std::size_t> members,
                          const SearchOptions &options) {
  if (members.empty())
    return;
  std::ranges::sort(members);
  std::vector<Dimension> dimensions;
  for (const std::size_t member : members)
    dimensions.push_back(ledger_.space().dimensions()[member]);
  SearchSpace space(std::move(dimensions));
  auto search = coordinate_search(space, {options.most_trials, options.seed + parts_.size()});
  parts_.push_back({std::move(name), std::move(members), std::move(space), std::move(search), {}});
}

Place SeparableSearch::best_of_each() const {
  Place place(ledger_.space().dimensions().size());
  for (const Part &part : parts_)
    if (const auto best = part.space.place_of(part.search->best().configuration))
      place = with(std::move(place), part.members, *best);
  return nearest_allowed(ledger_.space(), place);
}

/// Gets something that can be tried, if only with all else generic. False if there is nothing.
bool SeparableSearch::ask_part(Part &part) const {
  const SearchSpace &space = ledger_.space();
  while (!part.next) {
    const auto configuration = part.search->ask();
    if (!configuration)
      return false;
    Place next = part.space.place_of(*configuration).value();
    if (space.allows(with(Place(space.dimensions().size()), part.members, next)))
      part.next = std::move(next);
    else
      part.search->tell({.configuration = *configuration, .failed = true});
  }
  return true;
}

std::optional<Configuration> SeparableSearch::ask() {
  if (ledger_.left() == 0)
    return std::nullopt;
  const Place best = best_of_each();
  if (ledger_.left() == 1 && ledger_.is_new(best))
    return ledger_.ask(best);
  std::vector<Part *> order;
  for (Part &part : parts_)
    order.push_back(&part);
  std::ranges::shuffle(order, random_); // who comes late may find no room beside the others
  for (;;) {
    Place place = best;
    bool is_any_waiting = false;
    std::vector<Part *> tried;
    for (Part *part : order) {
      if (!ask_part(*part))
        continue;
      is_any_waiting = true;
      Place next = with(place, part->members, *part->next);
      if (ledger_.space().allows(next))
        place = std::move(next), tried.push_back(part);
    }
    for (Part *part : tried)
      part->next.reset();
    if (ledger_.is_new(place))
      return ledger_.ask(place);
    if (!is_any_waiting)
      return std::nullopt;
    // Beside the best of the others there is no room for it: try it with all else generic.
    if (tried.empty()) {
      Part &part = **std::ranges::find_if(order, [](Part *each) { return each->next.has_value(); });
      place = with(Place(best.size()), part.members, *std::exchange(part.next, std::nullopt));
      if (ledger_.is_new(place))
        return ledger_.ask(place);
    }
  }
}

void SeparableSearch::tell(const Trial &trial) {
  const auto place = ledger_.tell(trial);
  if (!place)
    return;
  for (Part &part : parts_) {
    Trial of_part = trial;
    of_part.configuration = part.space.at(part_of(*place, part.members));
    of_part.parts.clear();
    if (const auto did = trial.parts.find(part.name); did != trial.parts.end()) {
      of_part.score = did->second.score;
      of_part.error = did->second.error;
      of_part.cut_short = false; // the whole was behind, not each part
    }
    part.search->tell(of_part);
  }
}

} // namespace

std::unique_ptr<Strategy>
separable_search(const SearchSpace &space,
                 const std::map<std::string, std::set<std::string>> &parts, SearchOptions options) {
  return std::make_unique<SeparableSearch>(space, parts, options);
}

} // namespace sartor
