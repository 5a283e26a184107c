// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context of a variant, from the program's settings and from profiles.
#include <algorithm>

#include "base/probes.h"
#include "base/readers.h"
#include "base/text/json.h"
#include "core/request/addresses_bound.h"
#include "core/space/fit.h"
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"
#include "runtime/request.h"

namespace sartor {

namespace {

bool depends_on(const runtime::Variant &variant, std::uint64_t invariant) {
  return std::ranges::binary_search(variant.code->invariants, invariant);
}

std::vector<std::uint64_t> invariants_of(const runtime::VariantRef &variant) {
  return variant ? variant->code->invariants : std::vector<std::uint64_t>();
}

Failure tied_to_nothing(const std::string &label) {
  return {ErrorCode::bad_invariant, label, "is tied to an invariant that is not valid",
          "declare it again first"};
}

} // namespace

Result<core::Answers> Runtime::Impl::answers_of(const Point &point, std::size_t most) {
  const auto tied = assumptions.tied_to(point.label);
  if (point.reads_memory && !point.is_versioned && !tied)
    return std::unexpected(Failure{
        ErrorCode::untied_fast_path, point.label,
        point.function + "() reads memory that may change, without a notice of changes",
        "tie the label to an invariant (Runtime::tie), use sartor_fast_path_versioned(), or "
        "declare the function __attribute__((const))"});
  return profiles->answers_of(point, most, tied);
}

Result<core::Context> Runtime::Impl::context_of(const std::string &handler,
                                                const Configuration &configuration,
                                                std::map<unsigned, BoundArgument> arguments) {
  core::Context context;
  context.handler = handler;
  context.configuration = module->space.restrict(configuration, handler);
  context.arguments = std::move(arguments);
  context.memory = reach_of(context);
  for (const auto &[label, setting] : context.configuration) {
    const Point &point = *module->space.find(label);
    if (point.kind != PointKind::fast_path)
      continue;
    auto answers = answers_of(point, setting.values.front().bits());
    if (!answers)
      return std::unexpected(std::move(answers.error()));
    context.answers.emplace(label, std::move(*answers));
  }
  if (auto known = generators.add_kinds(context, module->space); !known)
    return std::unexpected(std::move(known.error()));
  profiles->add_instrumentation(context);
  return context;
}

std::shared_ptr<runtime::Reach> Runtime::Impl::reach_of(const core::Context &context) {
  std::vector<std::uintptr_t> addresses = core::addresses_bound(context);
  for (const auto &[label, setting] : context.configuration)
    for (const Value &value : setting.values)
      if (value.is_integer())
        addresses.push_back(value.bits());
  return runtime::Registry::instance().reach(*this, std::move(addresses));
}

bool Runtime::Impl::is_native(const core::Context &context) const {
  const auto handler = module->find(context.handler);
  return (handler && !(*handler)->native_only.empty()) ||
         (core::is_generic(context) && pipeline.passes.empty());
}

Result<void> Runtime::Impl::tie(const std::string &label, std::uint64_t invariant) {
  if (auto opened = open_now(); !opened || !is_active())
    return opened;
  const Point *point = module->space.find(label);
  if (!point)
    return std::unexpected(unknown_label(label, module->space));
  if (!runtime::Registry::instance().valid(invariant))
    return std::unexpected(tied_to_nothing(label));
  if (base::inside_handler(base::frame_of_caller()))
    return std::unexpected(
        Failure{ErrorCode::called_from_handler, label,
                "is tied from within a handler, for the end of which this waits",
                "tie it from another thread, or after the handler has returned"});
  // A call that began before the invariant was declared may still record values that it saw then.
  runtime::wait_for_readers();
  const base::MutexLock lock(mutex);
  if (!runtime::Registry::instance().valid(invariant)) // deactivate() waits for the lock now
    return std::unexpected(tied_to_nothing(label));
  assumptions.tie(label, invariant);
  profiles->forget_results(label);
  return {};
}

// A writer waits for this function. The validity of invariants is checked last, as that takes a
// lock.
runtime::VariantRef Runtime::Impl::best_remaining(const runtime::Variant &leaving,
                                                  std::uint64_t broken) const {
  const runtime::Alternatives *others = cache->of_kind(leaving.kind);
  if (!others)
    return nullptr;
  return others->best([&](std::span<const std::uint64_t> invariants) {
    return !std::ranges::binary_search(invariants, broken) &&
           runtime::Registry::instance().are_valid(invariants);
  });
}

void Runtime::Impl::forget_dependency(RuntimeEntry &entry) {
  assumptions.change(entry, invariants_of(entry.variant()), {});
}

bool Runtime::Impl::lead(RuntimeEntry &entry, const runtime::VariantRef &to,
                         std::uint64_t request) {
  const std::vector<std::uint64_t> before = invariants_of(entry.variant());
  const bool led = entry.activate(to, request);
  assumptions.change(entry, before, invariants_of(entry.variant()));
  if (led)
    let_go(entry);
  return led;
}

bool Runtime::Impl::lead_back(RuntimeEntry &entry, const runtime::VariantRef &to,
                              std::uint64_t request) {
  const std::vector<std::uint64_t> before = invariants_of(entry.variant());
  const bool led = entry.restore(to, request);
  assumptions.change(entry, before, invariants_of(to));
  if (led)
    let_go(entry);
  return led;
}

runtime::Deactivated Runtime::Impl::deactivate(std::uint64_t invariant,
                                               const runtime::Holding &holding) {
  runtime::Deactivated taken;
  const base::MutexLock lock(mutex);
  for (RuntimeEntry *entry : assumptions.take_dependents(invariant)) {
    runtime::VariantRef best = best_remaining(*entry->variant(), invariant);
    const std::size_t dependencies = best ? best->code->invariants.size() : 0;
    SARTOR_PROBE(replug, entry->handler().c_str(), best ? best->name.c_str() : "");
    if (events)
      events->append("replug", {{"handler", entry->handler()},
                                {"to", best ? best->name : "generic"},
                                {"invariants", dependencies}});
    // Without this invariant, code could depend on all the others.
    const bool could_be_better = dependencies + 1 < entry->variant()->code->invariants.size();
    taken.could_be_better = taken.could_be_better || could_be_better;
    if (holding.at_most > holding.at_most.zero() &&
        (could_be_better || (!best && knows_more_than_quasi_invariants(*entry)))) {
      hold_callers(*entry, holding); // before calls reach the remaining code
      taken.could_be_better = true;
    }
    assumptions.change(*entry, invariants_of(entry->variant()), invariants_of(best));
    taken.code.push_back(entry->fall_back(std::move(best)));
    ++statistics.replugs;
  }
  stop_rotations([&](const runtime::Variant &variant) { return depends_on(variant, invariant); });
  return taken;
}

// A rotation calls its variants, whatever is active.
void Runtime::Impl::stop_rotations(const std::function<bool(const runtime::Variant &)> &is_left) {
  for (RuntimeEntry *entry : rotating) {
    const runtime::RotationPlan *plan = entry->rotation->plan();
    if (plan && std::ranges::any_of(plan->lanes, [&](const auto &lane) {
          return lane.variant && is_left(*lane.variant);
        }))
      entry->rotation->stop();
  }
}

void Runtime::Impl::forget(std::uint64_t invariant) {
  const base::MutexLock lock(mutex);
  cache->drop_invariant(invariant);
  assumptions.untie(invariant);
}

void Runtime::Impl::remember(RuntimeEntry &entry, const core::Context &wanted,
                             std::uint64_t request, detail::BoundEntry *bound) {
  if (request < entry.wanted_by)
    return;
  entry.wanted_by = request;
  entry.wanted = wanted;
  // A quasi-invariant may have become valid while the code was made, when it was not yet recorded
  // that the entry wants it.
  if (runtime::Registry::instance().has_quasi_invariants())
    renew(entry, bound);
}

void Runtime::Impl::look_again() {
  const base::MutexLock lock(mutex);
  for (RuntimeEntry *entry : entries.all())
    renew(*entry, nullptr);
  for (detail::BoundEntry *entry : bindings.all())
    renew(*entry, entry);
}

void Runtime::Impl::renew(RuntimeEntry &entry, detail::BoundEntry *bound) {
  if (!entry.wanted)
    return;
  const auto memory = reach_of(*entry.wanted);
  if (memory == entry.wanted->memory) {
    if (renewals == 0)
      let_go(entry);
    return;
  }
  auto context = context_of(entry.handler(), entry.wanted->configuration, entry.wanted->arguments);
  entry.wanted->memory = memory; // not again for the same memory, whatever the result
  if (!context) {
    let_go(entry);
    return;
  }
  context->stages = entry.wanted->stages;
  auto request = std::make_shared<Request>(*this, entry.request(), Purpose::renew);
  request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
  request->wanted_by = entry.wanted_by;
  if (bound)
    request->add_bound(*bound, std::move(*context));
  else
    request->add(entry, std::move(*context));
  request->begin();
}

runtime::VariantRef Runtime::Impl::find_cached(const std::string &key) const {
  runtime::VariantRef variant = cache->find(key);
  if (!variant || runtime::Registry::instance().are_valid(variant->code->invariants))
    return variant;
  cache->drop_if([&](const runtime::Variant &other) { return &other == variant.get(); });
  runtime::retire(std::move(variant));
  return nullptr;
}

void Runtime::Impl::not_waited_for(std::uint64_t invariant) {
  if (events)
    events->append(
        "invariant_not_waited_for",
        {{"invariant", invariant},
         {"message", "an Invariant was destroyed within a handler, which cannot wait "
                     "for code that depends on it: call invalidate_later(), and free the "
                     "memory once reusable() says so"}});
}

} // namespace sartor
