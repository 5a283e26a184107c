// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a variant is specialized to, from what the program has said and what was seen.
#include <algorithm>

#include "base/json.h"
#include "base/readers.h"
#include "core/request/addresses_bound.h"
#include "core/space/fit.h"
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"
#include "runtime/profiling.h"
#include "runtime/request.h"

namespace sartor {

namespace {

bool leans_on(const runtime::Variant &variant, std::uint64_t promise) {
  return std::ranges::binary_search(variant.code->promises, promise);
}

std::vector<std::uint64_t> promises_of(const runtime::VariantRef &variant) {
  return variant ? variant->code->promises : std::vector<std::uint64_t>();
}

Failure tied_to_nothing(const std::string &label) {
  return {ErrorCode::bad_invariant, label, "is tied to an invariant that does not hold",
          "declare it anew first"};
}

} // namespace

Result<core::Answers> Runtime::Impl::answers_of(const Point &point, std::size_t most) {
  const auto tied = ties.find(point.label);
  if (point.reads_memory && !point.is_versioned && tied == ties.end())
    return std::unexpected(Failure{
        ErrorCode::untied_fast_path, point.label,
        point.function + "() reads memory that may change, and nothing tells when",
        "tie the label to an invariant (Runtime::tie), use sartor_fast_path_versioned(), or "
        "declare the function __attribute__((const))"});
  core::Answers answers;
  if (tied != ties.end())
    answers.promises = {tied->second};
  const PointProfile seen = profile_of(point);
  add_answers(answers, seen, most, *module);
  // While a profile grows, inputs that are seen about as often take turns. Each turn would be
  // another variant.
  core::Answers &given = answers_given[{point.label, most}];
  if (!are_about_as_good(given, answers, seen, *module))
    given = std::move(answers);
  return given;
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
  if (auto known = add_custom_kinds(context); !known)
    return std::unexpected(std::move(known.error()));
  add_instrumentation(context);
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

Result<void> Runtime::Impl::tie(const std::string &label, std::uint64_t promise) {
  if (!is_active())
    return {};
  const Point *point = module->space.find(label);
  if (!point)
    return std::unexpected(unknown_label(label, module->space));
  if (!runtime::Registry::instance().holds(promise))
    return std::unexpected(tied_to_nothing(label));
  if (base::inside_handler(base::frame_of_caller()))
    return std::unexpected(
        Failure{ErrorCode::called_from_handler, label,
                "is tied from within a handler, for the end of which this waits",
                "tie it from another thread, or after the handler has returned"});
  // A call that began before the promise may be about to record what it saw then.
  runtime::wait_for_readers();
  const base::MutexLock lock(mutex);
  if (!runtime::Registry::instance().holds(promise)) // take_out() waits for the lock now
    return std::unexpected(tied_to_nothing(label));
  ties[label] = promise;
  forget_results(label);
  return {};
}

// A writer waits for this: whether promises hold is asked last, as it takes a lock.
runtime::VariantRef Runtime::Impl::best_remaining(const runtime::Variant &leaving,
                                                  std::uint64_t broken) const {
  const runtime::Alternatives *others = cache->of_kind(leaving.kind);
  if (!others)
    return nullptr;
  return others->best([&](std::span<const std::uint64_t> promises) {
    return !std::ranges::binary_search(promises, broken) &&
           runtime::Registry::instance().hold(promises);
  });
}

// Most promises stay the same when code changes.
void Runtime::Impl::note_leaning(RuntimeEntry &entry, std::span<const std::uint64_t> before,
                                 std::span<const std::uint64_t> after) {
  for (const std::uint64_t promise : before)
    if (!std::ranges::binary_search(after, promise))
      if (auto leaning = leaning_entries.find(promise); leaning != leaning_entries.end()) {
        leaning->second.erase(&entry);
        if (leaning->second.empty())
          leaning_entries.erase(leaning);
      }
  for (const std::uint64_t promise : after)
    if (!std::ranges::binary_search(before, promise))
      leaning_entries[promise].insert(&entry);
}

void Runtime::Impl::forget_leaning(RuntimeEntry &entry) {
  note_leaning(entry, promises_of(entry.variant()), {});
}

bool Runtime::Impl::lead(RuntimeEntry &entry, const runtime::VariantRef &to,
                         std::uint64_t request) {
  const std::vector<std::uint64_t> before = promises_of(entry.variant());
  const bool led = entry.put_in_force(to, request);
  note_leaning(entry, before, promises_of(entry.variant()));
  if (led)
    let_go(entry);
  return led;
}

runtime::TakenOut Runtime::Impl::take_out(std::uint64_t promise, const runtime::Holding &holding) {
  runtime::TakenOut taken;
  const base::MutexLock lock(mutex);
  std::set<RuntimeEntry *> leaning;
  if (auto known = leaning_entries.extract(promise))
    leaning = std::move(known.mapped());
  for (RuntimeEntry *entry : leaning) {
    runtime::VariantRef best = best_remaining(*entry->variant(), promise);
    const std::size_t leans = best ? best->code->promises.size() : 0;
    if (events)
      events->append("replug", {{"handler", entry->handler()},
                                {"to", best ? best->name : "generic"},
                                {"promises", leans}});
    // Without the promise it could lean on all others.
    const bool could_be_better = leans + 1 < entry->variant()->code->promises.size();
    taken.could_be_better = taken.could_be_better || could_be_better;
    if (holding.at_most > holding.at_most.zero() &&
        (could_be_better || (!best && knows_more_than_facts(*entry)))) {
      hold_callers(*entry, holding); // before calls come to what remains
      taken.could_be_better = true;
    }
    note_leaning(*entry, promises_of(entry->variant()), promises_of(best));
    taken.code.push_back(entry->fall_back(std::move(best)));
    ++statistics.replugs;
  }
  for (RuntimeEntry *entry : rotating) {
    const runtime::RotationPlan *plan = entry->rotation->plan();
    if (plan && std::ranges::any_of(plan->lanes, [&](const auto &lane) {
          return lane.variant && leans_on(*lane.variant, promise);
        }))
      entry->rotation->stop();
  }
  return taken;
}

void Runtime::Impl::forget(std::uint64_t promise) {
  const base::MutexLock lock(mutex);
  cache->drop_promised(promise);
  std::erase_if(ties, [&](const auto &tie) { return tie.second == promise; });
}

void Runtime::Impl::remember(RuntimeEntry &entry, const core::Context &wanted,
                             detail::BoundEntry *bound) {
  entry.wanted = wanted;
  // A fact may have come to hold while it was made, when nobody knew yet that it is wanted.
  if (runtime::Registry::instance().has_facts())
    renew(entry, bound);
}

void Runtime::Impl::look_again() {
  const base::MutexLock lock(mutex);
  for (auto &[name, entry] : entries)
    renew(*entry, nullptr);
  for (auto &[key, entry] : bindings)
    renew(*entry, entry.get());
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
  entry.wanted->memory = memory; // not again for the same, whatever comes of it
  if (!context) {
    let_go(entry);
    return;
  }
  context->stages = entry.wanted->stages;
  auto request = std::make_shared<Request>(*this, entry.request(), Purpose::renew);
  request->impl.mutex.assert_held(); // which is this one
  if (bound)
    request->add_bound(*bound, std::move(*context));
  else
    request->add(entry, std::move(*context));
  request->begin();
}

runtime::VariantRef Runtime::Impl::find_cached(const std::string &key) const {
  runtime::VariantRef variant = cache->find(key);
  if (!variant || runtime::Registry::instance().hold(variant->code->promises))
    return variant;
  cache->drop_if([&](const runtime::Variant &other) { return &other == variant.get(); });
  runtime::retire(std::move(variant));
  return nullptr;
}

void Runtime::Impl::not_waited_for(std::uint64_t promise) {
  if (events)
    events->append(
        "invariant_not_waited_for",
        {{"promise", promise},
         {"message", "an Invariant was destroyed within a handler, where nobody can wait "
                     "for code that leans on it: call invalidate_later(), and free the "
                     "memory once reusable() says so"}});
}

} // namespace sartor
