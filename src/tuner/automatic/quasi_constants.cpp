// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/automatic/quasi_constants.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/space/handler_name.h"
#include "tuner/automatic/automatic_limits.h"

namespace sartor {

namespace {

/// `auto` is a keyword, so no label of a program's own begins like this.
constexpr std::string_view kPrefix = "auto.";

/// Returns the handler that is the function of the point, or the first that reaches it.
const std::string &owner_of(const Point &point) {
  for (const std::string &handler : point.handlers)
    for (const Site &site : point.sites)
      if (core::readable_handler_name(handler) == site.function)
        return handler;
  return point.handlers.front();
}

/// The address of an object without a symbol has no meaning for the compiler. NaN, which equals no
/// number, would be refused with all candidates of its handler.
bool can_be_set(const Point &point, const Value &value) {
  if (value.is_floating() && std::isnan(value.floating()))
    return false;
  return point.type.kind != PointType::Class::pointer || value.is_symbol();
}

std::vector<Value> frequent_values(const Point &point) {
  std::vector<Value> values;
  for (const Seen::Input &input : point.seen->top) {
    if (input.share < automatic_limits::least_share ||
        values.size() == automatic_limits::most_values)
      break;
    if (input.values.size() == 1 && can_be_set(point, input.values.front()))
      values.push_back(input.values.front());
  }
  return values;
}

} // namespace

bool is_automatic(const Point &point) {
  return point.label.starts_with(kPrefix) && point.kind == PointKind::generic &&
         point.type.bits <= 64 && !point.handlers.empty() &&
         std::ranges::any_of(point.sites, [](const Site &site) { return site.problem.empty(); });
}

std::vector<std::vector<std::string>> automatic_labels(const Space &space, std::size_t handlers) {
  std::map<std::string, std::vector<std::string>> by_handler;
  for (const Point &point : space.points())
    if (is_automatic(point))
      by_handler[owner_of(point)].push_back(point.label);
  std::vector<std::vector<std::string>> groups;
  std::size_t in_group = handlers;
  for (const auto &[handler, labels] : by_handler) {
    if (in_group++ == handlers) {
      groups.emplace_back();
      in_group = 1;
    }
    groups.back().insert(groups.back().end(), labels.begin(), labels.end());
  }
  return groups;
}

std::vector<SampledHandler> sampled_handlers(const Space &space) {
  std::map<std::string, SampledHandler> found;
  for (const Point &point : space.points()) {
    if (!is_automatic(point))
      continue;
    const std::string &handler = owner_of(point);
    SampledHandler &sampled = found[handler];
    sampled.handler = handler;
    if (!point.seen)
      continue;
    sampled.calls = std::max(sampled.calls, point.seen->count);
    if (auto values = frequent_values(point); !values.empty())
      sampled.values.emplace(point.label, std::move(values));
  }
  std::vector<SampledHandler> handlers;
  for (auto &[name, sampled] : found)
    handlers.push_back(std::move(sampled));
  std::ranges::sort(handlers, [](const SampledHandler &a, const SampledHandler &b) {
    return std::tie(b.calls, a.handler) < std::tie(a.calls, b.handler);
  });
  return handlers;
}

std::vector<Configuration> candidates(const SampledHandler &sampled, const Configuration &base) {
  std::vector<Configuration> found;
  const auto add = [&](Configuration configuration) {
    if (std::ranges::find(found, configuration) == found.end())
      found.push_back(std::move(configuration));
  };
  if (sampled.values.empty())
    return found;
  Configuration all = base;
  for (const auto &[label, values] : sampled.values)
    all.set(label, values.front());
  add(all);
  for (const auto &[label, values] : sampled.values)
    if (sampled.values.size() <= automatic_limits::most_tried_alone)
      add(Configuration(base).set(label, values.front()));
  for (const auto &[label, values] : sampled.values)
    for (std::size_t i = 1; i < values.size(); ++i)
      add(Configuration(all).set(label, values[i]));
  return found;
}

bool are_candidates_settings(const Configuration &configuration, const std::string &handler,
                             const Space &space) {
  return !space.check(configuration) && std::ranges::all_of(configuration, [&](const auto &each) {
    const Point *point = space.find(each.first);
    const Setting &setting = each.second;
    return point && is_automatic(*point) && owner_of(*point) == handler && setting.guarded &&
           setting.values.size() == 1 && can_be_set(*point, setting.values.front());
  });
}

} // namespace sartor
