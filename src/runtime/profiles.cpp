// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profiles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/profile/layout.h"
#include "core/profile/order.h"
#include "core/space/fit.h"
#include "runtime/profiling.h"

namespace sartor {

namespace {

Result<void> check(const core::Context::Instrumented &instrumented, const Space &space) {
  for (const auto &[label, every] : instrumented) {
    const Point *point = space.find(label);
    if (!point)
      return std::unexpected(unknown_label(label, space));
    if (every == 0)
      return std::unexpected(Failure{ErrorCode::bad_value_type, label,
                                     "is to be instrumented every 0th time",
                                     "give 1 for every time, n for every n-th, on average"});
    if (const std::string problem = core::instrument_problem(*point); !problem.empty())
      return std::unexpected(Failure{ErrorCode::point_not_specializable, label, problem,
                                     "mark a narrower value, or a call with fewer arguments"});
  }
  return {};
}

/// Replaces the results in a sum by those of one of its parts.
void take_results(PointProfile &sum, const PointProfile &part) {
  std::map<std::vector<Value>, const ProfileEntry *, decltype(&before)> known(&before);
  for (const ProfileEntry &entry : part.entries)
    known.emplace(entry.inputs, &entry);
  for (ProfileEntry &entry : sum.entries) {
    const auto found = known.find(entry.inputs);
    const bool is_known = found != known.end();
    entry.result = is_known ? found->second->result : std::nullopt;
    entry.version = is_known ? found->second->version : std::nullopt;
  }
}

} // namespace

PointProfile Profiles::Sources::of(const Point &point) const {
  const auto place = static_cast<std::size_t>(&point - module.space.points().data());
  PointProfile seen{point.kind, point.type, point.arguments};
  if (store)
    seen = to_profile(point, store->seen(place), module);
  const PointProfile *known = loaded.find(point.label);
  if (!known)
    return seen;
  Profile both("", {{point.label, seen}});
  both.merge(Profile("", {{point.label, *known}}));
  PointProfile sum = both.points().begin()->second;
  if (depends_on_memory(point))
    take_results(sum, seen);
  return sum;
}

Profiles::Sources Profiles::sources() const {
  const base::MutexLock lock(mutex_);
  return {*module_, store_, loaded_};
}

Result<void> Profiles::set_instrumented(core::Context::Instrumented every) {
  if (auto checked = check(every, module_->space); !checked)
    return checked;
  const base::MutexLock lock(mutex_);
  if (!store_ && !every.empty()) {
    auto store = core::Store::create(core::layout_of(module_->space));
    if (!store)
      return std::unexpected(std::move(store.error()));
    store_ = std::move(*store);
  }
  instrumented_ = std::move(every);
  return {};
}

core::Context::Instrumented Profiles::instrumented() const {
  const base::MutexLock lock(mutex_);
  return instrumented_;
}

void Profiles::add_instrumentation(core::Context &context) const {
  const base::MutexLock lock(mutex_);
  for (const auto &[label, every] : instrumented_)
    if (const auto &handlers = module_->space.find(label)->handlers;
        std::ranges::find(handlers, context.handler) != handlers.end())
      context.instrumented.emplace(label, every);
  if (!context.instrumented.empty())
    context.profile = std::shared_ptr<const core::Counters>(store_, &store_->counters());
}

core::Answers Profiles::answers_of(const Point &point, std::size_t most,
                                   std::optional<std::uint64_t> invariant) {
  core::Answers answers;
  if (invariant)
    answers.invariants = {*invariant};
  const PointProfile seen = sources().of(point);
  add_answers(answers, seen, most, *module_);
  // While a profile grows, inputs of similar frequency change order. Each new order would be
  // another variant, so the previous answers are kept if they are about as good.
  const base::MutexLock lock(mutex_);
  core::Answers &given = given_[{point.label, most}];
  if (!are_about_as_good(given, answers, seen, *module_))
    given = std::move(answers);
  return given;
}

void Profiles::forget_results(const std::string &label) {
  const base::MutexLock lock(mutex_);
  if (store_)
    store_->clear();
  given_.clear();
  Profile::Points points = loaded_.points();
  points.erase(label);
  loaded_ = Profile(loaded_.program(), std::move(points));
}

Profile Profiles::current() const {
  const Sources now = sources();
  Profile::Points points;
  for (const Point &point : module_->space.points())
    points.emplace(point.label, now.of(point));
  return Profile(module_->identity, std::move(points));
}

void Profiles::load(const Profile &profile) {
  const base::MutexLock lock(mutex_);
  Profile::Points none;
  for (const Point &point : module_->space.points())
    none.emplace(point.label, PointProfile{point.kind, point.type, point.arguments});
  Profile sum(module_->identity, std::move(none));
  sum.merge(profile);
  if (!loaded_.points().empty())
    sum.merge(loaded_);
  loaded_ = std::move(sum);
}

void Profiles::clear() {
  const base::MutexLock lock(mutex_);
  if (store_)
    store_->clear();
  loaded_ = {};
}

void Profiles::add_summaries(std::vector<Point> &points) const {
  const Sources now = sources();
  for (Point &point : points)
    if (const PointProfile seen = now.of(*module_->space.find(point.label)); seen.count)
      point.seen = summary(seen);
}

} // namespace sartor
