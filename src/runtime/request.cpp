// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/request.h"

#include <algorithm>
#include <utility>

#include "base/probes.h"
#include "base/text/fold_report_json.h"
#include "base/text/json.h"
#include "core/cache/request_key.h"
#include "core/quarantine/shared_quarantine.h"
#include "core/space/handler_name.h"
#include "runtime/assumptions/making.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/registry.h"
#include "runtime/dispatch/retire.h"
#include "runtime/jit/compile_attempt.h"
#include "runtime/program_names.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;

// Larger objects are not written out in the names of variants.
constexpr std::size_t kMostBytesNamed = 16;

// The maximum number of times that a request is made again because a quasi-invariant was
// invalidated.
constexpr unsigned kMostRenewals = 8;

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

VariantOrigin origin_of(core::CodeOrigin origin) {
  switch (origin) {
  case core::CodeOrigin::compiled:
  case core::CodeOrigin::filled:
    return VariantOrigin::compiled;
  case core::CodeOrigin::ahead_of_time:
    return VariantOrigin::ahead_of_time;
  case core::CodeOrigin::disk:
    return VariantOrigin::disk;
  case core::CodeOrigin::shared:
    return VariantOrigin::shared;
  case core::CodeOrigin::alike:
    return VariantOrigin::memory;
  }
  std::unreachable();
}

const char *name_of(VariantOrigin stored) {
  return stored == VariantOrigin::disk     ? "disk"
         : stored == VariantOrigin::shared ? "shared"
         : stored == VariantOrigin::memory ? "alike"
                                           : "ahead_of_time";
}

// Must be called without a lock.
std::string quasi_invariant_name(std::uint64_t invariant) {
  return runtime::Registry::is_quasi_invariant(invariant)
             ? runtime::name_of_quasi_invariant(invariant)
             : std::string();
}

// Must be called without a lock. From then on the remarks contain names for people.
void name_quasi_invariants(runtime::Code &code) {
  for (InvariantReport &invariant : code.fold_report.invariants)
    invariant.quasi_invariant = quasi_invariant_name(invariant.invariant);
  for (Remark &remark : remarks_of(code.fold_report))
    code.remarks.push_back(std::move(remark));
}

nlohmann::ordered_json describe(const runtime::Variant &variant) {
  return {{"handler", variant.handler},
          {"configuration", nlohmann::ordered_json::parse(variant.configuration.json())},
          {"text", variant.configuration.text()},
          {"quick", variant.quick}};
}

} // namespace

std::string cache_key(const core::Context &context, const Pipeline &pipeline) {
  std::string key = context.handler + core::text(context) + "\n" + pipeline.passes;
  for (const auto &plugin : pipeline.plugins)
    key += "\n" + plugin.string();
  return key;
}

std::optional<std::string> with_memory(std::string key, const core::Context &context) {
  if (!context.memory)
    return key;
  if (!context.memory->is_read() || !context.memory->read())
    return std::nullopt;
  return key + "\nmemory " + context.memory->name();
}

std::string variant_name(const core::Context &context) {
  std::string bound = runtime::ProgramName::of(context.arguments);
  if (!bound.empty())
    return core::readable_handler_name(context.handler) + "(" + bound + ")" +
           context.configuration.text();
  for (const auto &[index, value] : context.arguments) {
    while (std::ranges::count(bound, ',') < index)
      bound += bound.ends_with(',') || bound.empty() ? "_," : ",";
    bound += value.is_object() && value.bytes().size() > kMostBytesNamed
                 ? std::to_string(value.bytes().size()) + " bytes"
                 : value.text();
  }
  return core::readable_handler_name(context.handler) + (bound.empty() ? "" : "(" + bound + ")") +
         context.configuration.text();
}

void Runtime::Impl::Request::add(RuntimeEntry &entry, core::Context context) {
  Part part{};
  part.entry = &entry;
  part.context = std::move(context);
  part.generic = impl.is_native(part.context);
  part.key = cache_key(part.context, impl.pipeline);
  find(part);
  parts.push_back(std::move(part));
}

bool Runtime::Impl::Request::find(Part &part) {
  const auto key = with_memory(part.key, part.context);
  if (!part.generic && key)
    part.full = impl.find_cached(*key);
  if (!part.full)
    return false;
  part.origin = VariantOrigin::memory;
  ++impl.statistics.cache_hits;
  return true;
}

void Runtime::Impl::Request::add_bound(detail::BoundEntry &entry, core::Context context) {
  add(entry, std::move(context));
  parts.back().bound = &entry;
  ++entry.shares;
}

void Runtime::Impl::Request::begin() {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (fails_by_quarantine(parts[i]))
      return;
    if (parts[i].generic || parts[i].full)
      continue;
    const bool quick = takes_quick(parts[i]);
    if (quick)
      submit(i, core::Tier::quick);
    // If there is a store that outlives the process, the job of the quick variant searches it first
    // for the full one.
    if (!quick || impl.stores.empty())
      submit_full(i);
    if (ended)
      return;
  }
  advance();
}

bool Runtime::Impl::Request::fails_by_quarantine(const Part &part) {
  const auto key = with_memory(part.key, part.context);
  if (part.generic || !key || !impl.verifier.is_quarantined(*key))
    return false;
  fail(impl.verifier.failure(*key), part.context);
  return true;
}

void Runtime::Impl::Request::prepare_comparison(std::size_t part) {
  impl.verifier.prepare(*parts[part].entry, parts[part].context.arguments,
                        runtime::StubSource::stores_and_compiler);
}

void Runtime::Impl::Request::submit_full(std::size_t part) {
  if (!ended && !std::exchange(parts[part].full_submitted, true))
    submit(part, core::Tier::full);
}

void Runtime::Impl::Request::fill_templates() {
  struct Filling {
    std::size_t part;
    Templates::CodeImage image;
    std::string name;
    std::map<std::string, std::uint64_t> values;
    core::Context context;
    Clock::time_point begin = Clock::now();
    core::QuarantineKey key{};
    runtime::Job::Outcome code = nullptr;
  };
  std::vector<Filling> fillings;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_wanted = takes_quick(parts[i]) && !impl.verifier.is_quarantined(parts[i].key);
    auto fitting =
        is_wanted ? fitting_template(parts[i].context, impl.module->space) : std::nullopt;
    auto image =
        fitting ? impl.templates.find(cache_key(fitting->context, impl.pipeline)) : nullptr;
    if (image)
      fillings.push_back({i, std::move(image), variant_name(parts[i].context),
                          std::move(fitting->values), parts[i].context});
  }
  if (fillings.empty())
    return;
  {
    const auto quarantine = impl.verifier.quarantine();
    const Pipeline passes = impl.pipeline;
    // The linker may wait for a thread in dlopen(), which waits for this lock.
    const base::MutexUnlock unlocked(impl.mutex);
    std::erase_if(fillings, [&](Filling &each) {
      if (!quarantine)
        return false;
      each.key = core::quarantine_key(*impl.module, each.context, passes, core::made_here());
      return quarantine->contains(each.key);
    });
    for (Filling &each : fillings)
      each.code = fill(*each.image, each.name, each.values, impl.guard_failures->counters().get(),
                       *impl.linker);
  }
  for (Filling &each : fillings)
    if (each.code) // otherwise the compiler makes it
      take(each.part, core::Tier::quick, std::move(each.code), Clock::now() - each.begin,
           std::move(each.key));
}

bool Runtime::Impl::Request::takes_quick(const Part &part) const {
  return !part.generic && !part.full && !part.quick && !part.bound && impl.options.quick_tier &&
         purpose == Purpose::activate && impl.pipeline.passes.empty();
}

void Runtime::Impl::Request::submit(std::size_t part, core::Tier tier) {
  auto self = shared_from_this();
  const auto attempt = std::make_shared<runtime::CompileAttempt>(
      impl.compile_failures, impl.options.compiler, impl.module, parts[part].context, impl.pipeline,
      tier);
  const auto recipe = std::make_shared<const runtime::VariantRecipe>(
      runtime::VariantRecipe{parts[part].context,
                             variant_name(parts[part].context),
                             tier,
                             impl.pipeline,
                             [self, part, tier] {
                               const base::MutexLock lock(self->impl.mutex);
                               self->prepare_comparison(part);
                               if (tier == core::Tier::quick)
                                 self->submit_full(part);
                             },
                             {impl.options.record_requests, quasi_invariant_name},
                             impl.verifier.quarantine() != nullptr,
                             [attempt] { return attempt->begin(); }});
  auto started = std::make_shared<Clock::time_point>();
  const auto key = std::make_shared<core::QuarantineKey>();
  const unsigned round = parts[part].renewals;
  auto taken =
      (tier == core::Tier::quick ? impl.quick_compile_queue : impl.compile_queue)
          ->submit({
              .description = {"variant", core::readable_handler_name(recipe->context.handler),
                              recipe->context.configuration},
              .request = id,
              .is_for_binding = parts[part].bound != nullptr,
              .begin =
                  [self, part, tier, started, round] {
                    // Called without the lock. The job reports unreadable memory.
                    if (const auto &memory = self->parts[part].context.memory)
                      (void)memory->read();
                    const base::MutexLock lock(self->impl.mutex);
                    *started = Clock::now();
                    if (self->parts[part].renewals != round || !self->still_wanted(part, tier))
                      return false;
                    if (self->impl.stores.empty()) // otherwise once they are known not to have it
                      self->prepare_comparison(part);
                    return true;
                  },
              .work = [recipe, key, attempt, quarantine = impl.verifier.quarantine(),
                       shared = impl.verifier.shared_quarantine()](
                          runtime::Worker &worker,
                          const core::Deadline &deadline) -> runtime::Job::Outcome {
                if (quarantine) {
                  *key = attempt->key();
                  if (quarantine->contains(*key))
                    return std::unexpected(quarantine->refusal(*key, recipe->symbol));
                  if (const auto entry = shared ? core::find_shared(*shared, *key) : std::nullopt)
                    return std::unexpected(core::shared_refusal(*entry, recipe->symbol));
                }
                const char *const handler = recipe->context.handler.c_str();
                SARTOR_PROBE(compile_begin, handler, recipe->symbol.c_str());
                const auto begin = Clock::now();
                auto made = worker.make_variant(*recipe, deadline);
                attempt->end();
                SARTOR_PROBE(compile_end, handler, recipe->symbol.c_str(),
                             std::chrono::nanoseconds(Clock::now() - begin).count(), made ? 1 : 0);
                return made;
              },
              .done =
                  [self, part, tier, started, round, key, attempt](runtime::Job::Outcome outcome) {
                    if (!outcome)
                      attempt->fail(outcome.error());
                    if (outcome)
                      name_quasi_invariants(**outcome);
                    const base::MutexLock lock(self->impl.mutex);
                    const auto took = Clock::now() - *started;
                    if (outcome) // also counted if it is not wanted any more
                      runtime::Making::instance().note((*outcome)->invariants, took);
                    if (self->parts[part].renewals == round)
                      self->take(part, tier, std::move(outcome), took, *key);
                  },
          });
  if (!taken && !ended)
    fail(std::move(taken.error()), parts[part].context);
}

bool Runtime::Impl::Request::still_wanted(std::size_t index, core::Tier tier) {
  Part &part = parts[index];
  if (ended || part.full)
    return false;
  // Its bindings are gone; only the request's share is left.
  if (part.bound && part.bound->shares == 1) {
    end();
    return false;
  }
  // Another request may have made it meanwhile, or its memory has only now become known.
  if (find(part)) {
    advance();
    return false;
  }
  if (tier == core::Tier::full || impl.requested.is_newest(id))
    return true;
  submit_full(index); // the quick variant is not needed any more
  return false;
}

void Runtime::Impl::Request::take(std::size_t index, core::Tier tier, runtime::Job::Outcome outcome,
                                  std::chrono::nanoseconds time, core::QuarantineKey key_of_code) {
  if (ended)
    return;
  Part &part = parts[index];
  if (!outcome) {
    if (tier == core::Tier::quick)
      submit_full(index);
    else // which reports for both
      fail(std::move(outcome.error()), part.context);
    return;
  }
  const VariantOrigin origin = origin_of((*outcome)->origin);
  const bool stored = origin != VariantOrigin::compiled;
  auto variant = std::make_shared<runtime::Variant>();
  variant->name = variant_name(part.context);
  variant->handler = part.context.handler;
  variant->configuration = part.context.configuration;
  variant->kind = part.key;
  variant->quick = tier == core::Tier::quick && !stored;
  variant->compile_time = time;
  variant->code = std::move(*outcome);
  variant->quarantine_key = std::move(key_of_code);
  variant->trust->is_exempt = !part.context.instrumented.empty();
  impl.verifier.admit(*variant);
  if (stored)
    impl.verifier.prepare(*part.entry, part.context.arguments, runtime::StubSource::stores);
  variant->dependency = runtime::Dependency(variant->code->invariants);
  Statistics &counts = impl.statistics;
  const bool filled = variant->code->origin == core::CodeOrigin::filled;
  ++(filled                                   ? counts.filled
     : origin == VariantOrigin::disk          ? counts.disk_hits
     : origin == VariantOrigin::shared        ? counts.shared_hits
     : origin == VariantOrigin::memory        ? counts.alike
     : origin == VariantOrigin::ahead_of_time ? counts.ahead_of_time
                                              : counts.compiles);
  counts.staged += variant->code->from_stage ? 1 : 0;
  if (!variant->quick) {
    const bool asked_caches =
        origin != VariantOrigin::ahead_of_time && origin != VariantOrigin::memory;
    counts.disk_misses += impl.stores.disk && asked_caches && origin != VariantOrigin::disk ? 1 : 0;
    counts.shared_misses += impl.stores.shared && !stored ? 1 : 0;
  }
  if (impl.events) {
    auto fields = describe(*variant);
    fields["milliseconds"] = milliseconds(time);
    fields["code_bytes"] = variant->code->bytes();
    fields["resident_bytes"] = variant->code->resident_bytes();
    if (!variant->code->remarks.empty())
      fields["remarks"] = to_json(variant->code->remarks);
    if (variant->code->fold_report != FoldReport())
      fields["fold_report"] = to_json(variant->code->fold_report);
    if (stored)
      fields["from"] = name_of(origin);
    if (filled)
      fields["from"] = "template";
    if (variant->code->from_stage)
      fields["from"] = "stage";
    impl.events->append(stored || filled ? "load" : "compile", fields);
  }
  part.compile_time += time;
  if (variant->quick) {
    part.quick = std::move(variant);
  } else {
    if (purpose == Purpose::activate && !stored) // otherwise the compiler may not be loaded yet
      impl.make_template(part.context);
    part.origin = origin;
    // A variant that depends on a revoked invariant would be found again and again; one whose key
    // names a revoked invariant would never be found.
    const auto &registry = runtime::Registry::instance();
    const auto key = with_memory(part.key, part.context);
    if (fails_by_quarantine(part))
      return;
    variant->key = key.value_or("");
    auto invariants = part.context.memory && key ? part.context.memory->read()->invariants
                                                 : std::vector<std::uint64_t>();
    if (key && registry.know(invariants) && registry.are_valid(variant->code->invariants))
      impl.cache->insert(*key, part.key, variant, std::move(invariants));
    part.full = std::move(variant);
  }
  advance();
}

void Runtime::Impl::Request::fail(Failure failure, const core::Context &context) {
  if (purpose != Purpose::renew) // which has the number of the active request
    impl.requested.failed(id);
  revoke();
  ++impl.statistics.failures;
  if (failure.code == ErrorCode::quarantined)
    impl.verifier.note_quarantined(context.handler);
  if (impl.events) {
    auto fields = to_json(failure);
    fields["text"] = context.configuration.text();
    fields["handler"] = context.handler;
    impl.events->append("failure", fields);
  }
  promise.set_exception(std::make_exception_ptr(Error(std::move(failure))));
  end();
}

Runtime::Impl::Request::Request(Impl &owner, std::uint64_t number, Purpose why)
    : impl(owner), id(number), purpose(why), wanted_by(number) {
  if (purpose == Purpose::renew)
    ++impl.renewals;
}

// A std::promise that is destroyed unset creates an exception of its own, which takes memory.
Runtime::Impl::Request::~Request() {
  if (purpose == Purpose::renew)
    --impl.renewals;
  if (!ended)
    promise.set_exception(std::make_exception_ptr(std::bad_alloc()));
}

void Runtime::Impl::Request::end() {
  if (std::exchange(ended, true))
    return;
  for (Part &part : parts)
    impl.let_go_if_done(*part.entry, part.context);
  for (Part &part : parts)
    if (part.bound)
      impl.release_locked(*std::exchange(part.bound, nullptr));
}

bool Runtime::Impl::Request::make_again(std::size_t index,
                                        std::span<const std::uint64_t> invariants) {
  const runtime::Registry &registry = runtime::Registry::instance();
  Part &part = parts[index];
  const bool only_quasi_invariants = std::ranges::all_of(invariants, [&](std::uint64_t invariant) {
    return registry.is_quasi_invariant(invariant) || registry.valid(invariant);
  });
  if (!only_quasi_invariants || part.renewals == kMostRenewals)
    return false;
  auto context =
      impl.context_of(part.context.handler, part.context.configuration, part.context.arguments);
  if (!context)
    return false;
  context->stages = part.context.stages;
  ++part.renewals;
  part.context = std::move(*context);
  part.key = cache_key(part.context, impl.pipeline);
  part.generic = impl.is_native(part.context);
  part.full_submitted = false;
  part.origin = VariantOrigin::native; // if there is nothing to make any more
  runtime::retire(std::exchange(part.quick, nullptr));
  runtime::retire(std::exchange(part.full, nullptr));
  if (!find(part) && !part.generic)
    submit_full(index);
  return true;
}

bool Runtime::Impl::Request::invariants_valid() {
  bool all_hold = true;
  for (std::size_t i = 0; i < parts.size() && !ended; ++i)
    for (const runtime::VariantRef &variant : {parts[i].full, parts[i].quick}) {
      if (!variant || runtime::Registry::instance().are_valid(variant->code->invariants))
        continue;
      all_hold = false;
      if (!make_again(i, variant->code->invariants) && !ended)
        fail({ErrorCode::bad_invariant, variant->name,
              "depends on an invariant that was revoked while it was compiled", "request it again"},
             parts[i].context);
      break;
    }
  return all_hold;
}

void Runtime::Impl::Request::advance() {
  auto has_full = [](const Part &part) { return part.generic || part.full; };
  while (!ended && !invariants_valid())
    // Otherwise the variant to return to was already there.
    if (!std::ranges::all_of(parts, has_full))
      return;
  if (ended)
    return;
  auto has_any = [&](const Part &part) { return has_full(part) || part.quick; };
  if (std::ranges::all_of(parts, has_full)) {
    if (purpose != Purpose::prepare)
      activate(/*quick=*/false);
    promise.set_value(infos());
    end();
  } else if (purpose == Purpose::activate && std::ranges::all_of(parts, has_any)) {
    activate(/*quick=*/true);
  }
}

void Runtime::Impl::Request::activate(Part &part, const runtime::VariantRef &chosen) {
  if (impl.lead(*part.entry, chosen, id))
    note_switch(part, chosen);
}

void Runtime::Impl::Request::note_switch(Part &part, const runtime::VariantRef &chosen) {
  impl.verifier.prepare_found(*part.entry, part.context.arguments);
  impl.verifier.activated(*part.entry);
  ++impl.statistics.switches;
  SARTOR_PROBE(activate, part.entry->handler().c_str(), chosen ? chosen->name.c_str() : "");
  if (!impl.events)
    return;
  const runtime::Variant generic;
  auto fields = describe(chosen ? *chosen : generic);
  fields["handler"] = part.entry->handler();
  impl.events->append("switch", fields);
}

void Runtime::Impl::Request::activate(bool quick) {
  for (Part &part : parts) {
    if (quick && !part.before)
      part.before = Part::Before{part.entry->variant(), part.entry->request()};
    activate(part, part.full || !quick ? part.full : part.quick);
  }
  if (quick)
    return;
  for (Part &part : parts)
    impl.remember(*part.entry, part.context, wanted_by, part.bound);
  impl.requested.activated(id);
  for (Part &part : parts)
    drop_temporary(part);
}

// A temporary variant may be released as soon as no thread runs it.
void Runtime::Impl::Request::drop_temporary(Part &part) {
  runtime::retire(std::exchange(part.quick, nullptr));
  if (auto before = std::exchange(part.before, std::nullopt))
    runtime::retire(std::move(before->variant));
}

void Runtime::Impl::Request::revoke() {
  for (Part &part : parts) {
    if (part.before && part.entry->request() == id) {
      runtime::VariantRef back = part.before->variant;
      // While it was not active, an invariant that it depends on may have been revoked, it may have
      // been found to differ, and its request may have ended with better code.
      const bool holds = !back || (!back->trust->differs &&
                                   runtime::Registry::instance().are_valid(back->code->invariants));
      if (back && (!holds || back->quick))
        if (auto better = impl.best_remaining(*back, 0); better || !holds)
          back = std::move(better);
      if (impl.lead_back(*part.entry, back, part.before->request))
        note_switch(part, back);
    }
    drop_temporary(part);
  }
}

Runtime::Impl::Infos Runtime::Impl::Request::infos() const {
  Infos infos;
  for (const Part &part : parts) {
    VariantInfo info;
    info.handler = part.context.handler;
    info.configuration = part.context.configuration;
    info.name = variant_name(part.context);
    if (part.full) {
      info.code_bytes = part.full->code->bytes();
      info.remarks = part.full->code->remarks;
      info.fold_report = part.full->code->fold_report;
      info.resident_bytes = part.full->code->resident_bytes();
    }
    info.compile_time = part.compile_time;
    info.origin = part.origin;
    infos.push_back(std::move(info));
  }
  return infos;
}

} // namespace sartor
