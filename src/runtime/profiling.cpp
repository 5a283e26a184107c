// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profiling.h"

#include <algorithm>

#include "core/profile/point_layout.h"
#include "core/space/fit.h"
#include "runtime/impl.h"
#include "runtime/jit/helper.h"

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

/// The sources of a point's profile: the counters of a runtime, and a loaded profile. A copy of
/// data that the runtime's lock guards, so that no thread waits while counters are read.
struct Sources {
  const core::HandlerModule &module;
  std::shared_ptr<core::Store> store;
  Profile loaded;

  [[nodiscard]] PointProfile of(const Point &point) const {
    const auto place = static_cast<std::size_t>(&point - module.space.points().data());
    PointProfile seen{point.kind, point.type, point.arguments};
    if (store)
      seen = to_profile(point, store->seen(place), module);
    const PointProfile *known = loaded.find(point.label);
    if (!known)
      return seen;
    Profile both("", {{point.label, std::move(seen)}});
    both.merge(Profile("", {{point.label, *known}}));
    return both.points().begin()->second;
  }
};

} // namespace

// Contexts that are created from now on are instrumented.
Result<void> Runtime::Impl::set_instrumented(core::Context::Instrumented every) {
  if (auto checked = check(every, module->space); !checked)
    return checked;
  const base::MutexLock lock(mutex);
  if (!profile_store && !every.empty()) {
    auto store = core::Store::create(core::layout_of(module->space));
    if (!store)
      return std::unexpected(std::move(store.error()));
    profile_store = std::move(*store);
  }
  instrumented = std::move(every);
  return {};
}

void Runtime::Impl::add_instrumentation(core::Context &context) const {
  for (const auto &[label, every] : instrumented)
    if (const auto &handlers = module->space.find(label)->handlers;
        std::ranges::find(handlers, context.handler) != handlers.end())
      context.instrumented.emplace(label, every);
  if (!context.instrumented.empty())
    context.profile =
        std::shared_ptr<const core::Counters>(profile_store, &profile_store->counters());
}

PointProfile Runtime::Impl::profile_of(const Point &point) const {
  return Sources{*module, profile_store, loaded_profile}.of(point);
}

void Runtime::Impl::forget_results(const std::string &label) {
  if (profile_store)
    profile_store->clear();
  answers_given.clear();
  Profile::Points points = loaded_profile.points();
  points.erase(label);
  loaded_profile = Profile(loaded_profile.program(), std::move(points));
}

void Runtime::instrument(const std::map<std::string, unsigned> &every) {
  if (!impl_->is_active())
    return;
  core::Context::Instrumented before;
  {
    const base::MutexLock lock(impl_->mutex);
    before = impl_->instrumented;
  }
  or_throw(impl_->set_instrumented({every.begin(), every.end()}));
  try {
    auto outcome = impl_->request(std::nullopt, Impl::Purpose::activate);
    runtime::get_helping(outcome);
  } catch (const Error &) {
    (void)impl_->set_instrumented(std::move(before));
    throw;
  }
}

Profile Runtime::profile() const {
  if (!impl_->is_active())
    return {};
  const Sources sources = [&] {
    const base::MutexLock lock(impl_->mutex);
    return Sources{*impl_->module, impl_->profile_store, impl_->loaded_profile};
  }();
  Profile::Points points;
  for (const Point &point : impl_->module->space.points())
    points.emplace(point.label, sources.of(point));
  return Profile(impl_->module->identity, std::move(points));
}

void Runtime::load_profile(const Profile &profile) {
  if (!impl_->is_active())
    return;
  const base::MutexLock lock(impl_->mutex);
  Profile::Points none;
  for (const Point &point : impl_->module->space.points())
    none.emplace(point.label, PointProfile{point.kind, point.type, point.arguments});
  Profile sum(impl_->module->identity, std::move(none));
  sum.merge(profile);
  if (!impl_->loaded_profile.points().empty())
    sum.merge(impl_->loaded_profile);
  impl_->loaded_profile = std::move(sum);
}

void Runtime::clear_profile() {
  const base::MutexLock lock(impl_->mutex);
  if (impl_->profile_store)
    impl_->profile_store->clear();
  impl_->loaded_profile = {};
}

Space Runtime::space() const {
  if (!impl_->is_active())
    return {};
  base::MutexLock lock(impl_->mutex);
  Space space = impl_->space;
  for (Point &point : space.points_)
    if (auto choices = impl_->custom_choices.find(point.custom_kind);
        point.kind == PointKind::custom && choices != impl_->custom_choices.end())
      point.choices = choices->second;
  const Sources sources{*impl_->module, impl_->profile_store, impl_->loaded_profile};
  lock.unlock();
  for (Point &point : space.points_)
    if (const PointProfile seen = sources.of(*impl_->module->space.find(point.label)); seen.count)
      point.seen = summary(seen);
  return space;
}

} // namespace sartor
