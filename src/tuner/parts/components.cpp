// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/parts/components.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>

#include "base/result.h"
#include "core/space/rules.h"

namespace sartor {

namespace {

/// Disjoint sets of dimensions (union-find).
class Groups {
public:
  explicit Groups(std::size_t count) : above_(count) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) {
    while (above_[i] != i)
      i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::size_t one, std::size_t other) {
    const auto [first, second] = std::minmax(of(one), of(other));
    above_[second] = first; // the first member represents the group
  }

private:
  std::vector<std::size_t> above_;
};

std::shared_ptr<const detail::Rules> rules_of(const SearchSpace &space) {
  detail::Rules::Labels labels;
  for (const Dimension &dimension : space.dimensions())
    labels.emplace(dimension.label,
                   std::ranges::all_of(dimension.settings, [](const Setting &setting) {
                     return std::ranges::none_of(setting.values, &Value::is_symbol);
                   }));
  return or_throw(detail::Rules::read(space.constraints(), labels)); // succeeds, as it did when the
                                                                     // space was made
}

/// Constraints on the points of a component, which has all points of each constraint or none.
Constraints constraints_on(const std::set<std::string> &labels, const Constraints &all,
                           const detail::Rules &rules) {
  Constraints kept;
  // Relations are the first rules, in their order.
  for (std::size_t i = 0; i < all.relations.size(); ++i)
    if (const auto &of = rules.rules()[i]->labels(); !of.empty() && labels.contains(of.front()))
      kept.relations.push_back(all.relations[i]);
  for (const auto &[label, condition] : all.conditions)
    if (labels.contains(label))
      kept.conditions.emplace(label, condition);
  for (const Configuration &combination : all.forbidden)
    if (combination.begin() != combination.end() && labels.contains(combination.begin()->first))
      kept.forbidden.push_back(combination);
  return kept;
}

} // namespace

std::vector<Component> components_of(const SearchSpace &space, const HandlersOfPoints &handlers) {
  const auto &dimensions = space.dimensions();
  Groups groups(dimensions.size());
  std::map<std::string, std::size_t> place, first_of_handler;
  constexpr const char *no_handler = "";
  const auto handlers_of = [&](const std::string &label) {
    const auto found = handlers.find(label);
    return found == handlers.end() || found->second.empty() ? std::vector<std::string>{no_handler}
                                                            : found->second;
  };
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    place.emplace(dimensions[i].label, i);
    for (const std::string &handler : handlers_of(dimensions[i].label))
      groups.join(i, first_of_handler.emplace(handler, i).first->second);
  }
  const auto rules = rules_of(space);
  for (const auto &rule : rules->rules())
    for (const std::string &label : rule->labels())
      groups.join(place.at(label), place.at(rule->labels().front()));

  std::map<std::size_t, std::vector<Dimension>> members;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    members[groups.of(i)].push_back(dimensions[i]);
  std::vector<Component> components;
  for (auto &[group, of] : members) {
    std::set<std::string> labels, names;
    for (const Dimension &dimension : of) {
      labels.insert(dimension.label);
      for (const std::string &handler : handlers_of(dimension.label))
        if (handler != no_handler)
          names.insert(handler);
    }
    components.push_back(
        {SearchSpace(std::move(of), constraints_on(labels, space.constraints(), *rules)),
         {names.begin(), names.end()}});
  }
  return components;
}

SearchSpace joined(const std::vector<Component> &components) {
  std::vector<Dimension> dimensions;
  Constraints all;
  for (const Component &component : components) {
    const auto &more = component.space.dimensions();
    dimensions.insert(dimensions.end(), more.begin(), more.end());
    const Constraints &of = component.space.constraints();
    all.relations.insert(all.relations.end(), of.relations.begin(), of.relations.end());
    all.conditions.insert(of.conditions.begin(), of.conditions.end());
    all.forbidden.insert(all.forbidden.end(), of.forbidden.begin(), of.forbidden.end());
  }
  return SearchSpace(std::move(dimensions), std::move(all));
}

Configuration restricted(const Configuration &configuration, const SearchSpace &to) {
  Configuration part;
  for (const Dimension &dimension : to.dimensions())
    if (const Setting *setting = configuration.find(dimension.label))
      part.set(dimension.label, *setting);
  return part;
}

Configuration merged(Configuration one, const Configuration &other) {
  for (const auto &[label, setting] : other)
    one.set(label, setting);
  return one;
}

} // namespace sartor
