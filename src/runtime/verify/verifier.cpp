// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/verifier.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <utility>

#include <x86intrin.h>

#include "base/environment.h"
#include "base/traced.h"
#include "core/quarantine/shared_quarantine.h"
#include "core/space/handler_name.h"
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/verify/allocator_memory.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;

// An entry that is not called for so long gives way to the next one.
constexpr std::chrono::milliseconds kArmedTime = 50ms;
// The pause grows up to this while nothing is called.
constexpr std::chrono::milliseconds kLongestPause = 5s;
// Comparisons are never closer to each other, however cheap they are.
constexpr std::chrono::milliseconds kShortestPause = 5ms;

/// True if any call is to be compared.
bool compares(const Verification &how) {
  return how.first_calls != 0 || how.budget > 0 || how.every != 0;
}

/// Ticks of the time stamp counter in a nanosecond.
double ticks_per_nanosecond() {
  static const auto began = std::pair(__rdtsc(), std::chrono::steady_clock::now());
  const auto time = std::chrono::steady_clock::now() - began.second;
  if (time < 1ms) // measured since the first call
    return 2;
  return static_cast<double>(__rdtsc() - began.first) / static_cast<double>(time.count());
}

std::chrono::nanoseconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace

void Verifier::open() {
  if (!compares(owner_.options.verify))
    return;
  const std::filesystem::path state = core::state_directory(owner_.options.state_directory);
  quarantine_ = std::make_shared<core::Quarantine>(state);
  if (owner_.options.share_quarantine)
    shared_quarantine_ = owner_.stores.shared;
  const auto crashes = quarantine_->take_crashes();
  if (owner_.events && !crashes)
    owner_.events->failure("quarantine_unusable", crashes.error());
  if (owner_.events && crashes)
    for (const core::QuarantineEntry &entry : *crashes)
      owner_.events->append("crashed", to_json(entry));
  if (owner_.options.share_quarantine && crashes)
    for (const core::QuarantineEntry &entry : *crashes)
      to_share_.push_back({entry, std::nullopt});
  crashes_ = runtime::CrashMarker::install(state);
  (void)runtime::allocator_functions();
  aborts_ = base::is_on("SARTOR_ABORT_ON_DIFFERENCE", base::read_environment().abort_on_difference,
                        /*otherwise=*/false);
}

void Verifier::admit(runtime::Variant &variant) const {
  variant.trust->is_first = owner_.options.verify.first_calls != 0;
  if (std::ranges::any_of(variant.configuration,
                          [](const auto &setting) { return !setting.second.guarded; }))
    variant.trust->is_exempt = true;
  variant.trust->leaves_out_calls =
      std::ranges::any_of(owner_.module->space.points(), [&](const Point &point) {
        return point.kind == PointKind::fast_path && variant.configuration.find(point.label);
      });
  const auto text = variant.code->text();
  if (!crashes_ || text.empty() || variant.quarantine_key.handler.empty())
    return;
  crashes_->cover(text.data(), text.size(), variant.quarantine_key, variant.name);
  variant.covered.begin = text.data();
}

void Verifier::prepare(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments,
                       runtime::StubSource source) {
  if (!compares(owner_.options.verify))
    return;
  if (entry.checker) {
    if (entry.checker->allow(source))
      find_stub(entry);
    return;
  }
  std::set<unsigned> bound;
  for (const auto &[index, argument] : arguments)
    bound.insert(index);
  entry.checker = std::make_shared<runtime::CallChecker>(
      entry, owner_.options.verify, bell_, share_, std::move(bound),
      std::span(owner_.guard_failures->counters().get(), owner_.module->space.points().size()));
  entries_.push_back(&entry);
  (void)entry.checker->allow(source);
  find_stub(entry);
}

void Verifier::prepare_found(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments) {
  const runtime::VariantRef &variant = entry.variant();
  if (!entry.checker && variant && (variant->trust->is_first || owner_.options.verify.every != 0))
    prepare(entry, arguments, runtime::StubSource::stores);
}

void Verifier::find_stub(RuntimeEntry &entry) {
  auto about = std::make_shared<core::Comparability>();
  (void)owner_.quick_compile_queue->submit(
      {.description = {"checking stub", core::readable_handler_name(entry.handler())},
       .request = 0,
       .begin = [] { return true; },
       .work = [checker = entry.checker, handler = entry.handler(), stubs = stubs_,
                source = entry.checker->source(), linker = owner_.linker,
                about](runtime::Worker &worker,
                       const core::Deadline &deadline) -> runtime::Job::Outcome {
         const auto stub = stubs->find_or(
             handler, [&] { return worker.find_checking_stub(handler, source, deadline); });
         if (!stub)
           return std::unexpected(stub.error());
         *about = (*stub)->comparability;
         if (about->how == core::Comparison::none)
           return nullptr;
         return linker->link((*stub)->image, checker->symbols(), runtime::Linker::Kind::stub);
       },
       .done =
           [this, checker = entry.checker, source = entry.checker->source(),
            about](runtime::Job::Outcome outcome) {
             const base::MutexLock lock(owner_.mutex);
             const auto known = std::ranges::find(
                 entries_, checker, [](const RuntimeEntry *each) { return each->checker; });
             if (outcome)
               checker->set_stub(std::move(*outcome), std::move(*about));
             else if (source == checker->source() || known == entries_.end())
               checker->refuse(core::NotCompared::no_checking_code, outcome.error().text(),
                               outcome.error().code);
             else
               return find_stub(**known); // may be compiled meanwhile
             if (known != entries_.end())
               activated(**known);
           }});
}

void Verifier::activated(RuntimeEntry &entry) {
  if (!entry.checker)
    return;
  route(entry, wants_stub(entry) && base::is_traced());
  if (entry.checker->stub() || !to_share_.empty())
    start();
}

bool Verifier::wants_stub(const RuntimeEntry &entry) const {
  const runtime::VariantRef &variant = entry.variant();
  return entry.checker->stub() && !entry.checker->refusal() && variant &&
         entry.checker->can_compare(*variant->trust) &&
         (variant->trust->is_first || variant->trust->differs || owner_.options.verify.every != 0 ||
          armed_ == &entry);
}

void Verifier::route(RuntimeEntry &entry, bool is_traced) {
  const bool wanted = wants_stub(entry) && !is_traced; // breakpoints would be reached twice
  if (wanted != entry.is_checked())
    entry.check_with(wanted ? entry.checker->stub() : nullptr);
  if (owner_.events && owner_.options.verify.every != 0)
    not_compared_.look_at(entry, is_traced, *owner_.events);
}

void Verifier::forget(RuntimeEntry &entry) {
  if (!entry.checker)
    return;
  entry.check_with(nullptr);
  if (const auto found = entry.checker->take_difference()) {
    take_out(entry, *found);
    bell_.ring();
  }
  before_[entry.handler()].compared += entry.checker->compared();
  std::erase(entries_, &entry);
  if (armed_ == &entry)
    armed_ = nullptr;
  runtime::retire(std::exchange(entry.checker, nullptr));
}

Verifier::FirstCalls Verifier::first_calls() const {
  FirstCalls calls;
  for (const RuntimeEntry *entry : entries_) {
    const runtime::CallChecker &checker = *entry->checker;
    calls.ticks += checker.ticks();
    const runtime::VariantRef &variant = entry->variant();
    if (!variant || entry->is_off() || checker.refusal() || !checker.can_compare(*variant->trust) ||
        !variant->trust->is_first)
      continue;
    calls.are_due = true;
    calls.is_busy |= checker.is_busy() || !checker.stub();
  }
  return calls;
}

std::map<std::string, runtime::HandlerComparisons> Verifier::comparisons() const {
  auto all = before_;
  for (const RuntimeEntry *entry : entries_) {
    runtime::HandlerComparisons &of_handler = all[entry->handler()];
    of_handler.compared += entry->checker->compared();
    if (!of_handler.how)
      of_handler.how = entry->checker->comparability();
  }
  return all;
}

void Verifier::count(Statistics &statistics) const {
  for (const auto &[handler, each] : before_) {
    statistics.verified += each.compared;
    statistics.differences += each.differences;
  }
  for (const RuntimeEntry *entry : entries_)
    statistics.verified += entry->checker->compared();
}

void Verifier::start() {
  if (thread_.is_here() || stops_)
    return;
  if (auto thread = base::Thread::start("sartor-verify", [this] { run(); }))
    thread_ = std::move(*thread);
}

void Verifier::stop() {
  {
    const base::MutexLock lock(owner_.mutex); // a job that ends may be starting the thread
    stops_ = true;
  }
  bell_.ring();
  thread_.join();
}

void Verifier::route_all() {
  const bool is_traced =
      std::ranges::any_of(entries_,
                          [&](const RuntimeEntry *entry) { return wants_stub(*entry); }) &&
      base::is_traced();
  for (RuntimeEntry *entry : entries_)
    route(*entry, is_traced);
}

void Verifier::resume_in_child() {
  armed_ = nullptr;
  spent_before_ = {}; // of the parent's thread
  share_->memories.reset_in_child();
  for (RuntimeEntry *entry : entries_)
    entry->checker->reset_in_child();
  route_all();
  // Calls of variants that are active already are compared here, too.
  if (std::ranges::any_of(entries_,
                          [](const RuntimeEntry *entry) { return entry->checker->stub(); }))
    start();
}

void Verifier::run() {
  (void)ticks_per_nanosecond();
  for (bool is_last = false; !is_last;) {
    is_last = stops_; // what was found before is not lost
    const std::uint32_t rings = bell_.rings();
    Clock::time_point next;
    std::vector<core::QuarantineEntry> to_add;
    std::vector<ToShare> to_share;
    std::vector<Found> to_record;
    {
      const base::MutexLock lock(owner_.mutex);
      next = serve();
      to_add = std::exchange(to_add_, {});
      to_share = std::exchange(to_share_, {});
      to_record = std::exchange(to_record_, {});
    }
    for (core::QuarantineEntry &entry : to_add)
      if (auto added = quarantine_->add(std::move(entry)); !added && owner_.events)
        owner_.events->failure("quarantine_unusable", added.error());
    for (const ToShare &quarantined : to_share)
      share(quarantined);
    for (Found &found : to_record)
      record(std::move(found));
    const auto pause = std::max<std::chrono::nanoseconds>(next - Clock::now(), 1us);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(pause);
    if (!stops_)
      bell_.wait(rings, {seconds.count(), (pause - seconds).count()});
  }
}

Verifier::Clock::time_point Verifier::serve() {
  for (RuntimeEntry *entry : entries_)
    if (const auto found = entry->checker->take_difference())
      take_out(*entry, *found);
  const auto now = Clock::now();
  if (owner_.options.verify.budget > 0)
    sample(now);
  route_all();
  if (owner_.options.verify.budget <= 0)
    return now + 1h;
  // The bell rings when the first calls of a variant have been compared, and it can be armed.
  return armed_ ? armed_until_ : next_ > now ? next_ : now + kLongestPause;
}

std::chrono::nanoseconds Verifier::spent() const {
  const std::uint64_t ticks = armed_ ? armed_->checker->ticks() - ticks_before_ : 0;
  return std::chrono::nanoseconds(
             static_cast<std::int64_t>(static_cast<double>(ticks) / ticks_per_nanosecond())) +
         thread_time() - spent_before_;
}

void Verifier::sample(Clock::time_point now) {
  if (armed_) {
    const bool was_called = armed_->checker->ticks() != ticks_before_;
    if (!was_called && now < armed_until_)
      return;
    armed_->checker->disarm();
    // The time that the comparison and this thread took is the budget's share of the pause.
    const std::chrono::duration<double, std::nano> share = spent() / owner_.options.verify.budget;
    idle_ = was_called ? 0ns : std::clamp<std::chrono::nanoseconds>(2 * idle_, 50ms, kLongestPause);
    next_ = now + std::max<std::chrono::nanoseconds>(
                      {kShortestPause, idle_,
                       std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::min<std::chrono::duration<double, std::nano>>(share, 1h))});
    armed_ = nullptr;
    spent_before_ = thread_time();
  }
  if (now < next_)
    return;
  armed_ = next_to_arm();
  if (!armed_)
    return;
  ticks_before_ = armed_->checker->ticks();
  armed_until_ = now + kArmedTime;
  armed_->checker->arm();
}

RuntimeEntry *Verifier::next_to_arm() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    RuntimeEntry *entry = entries_[++turn_ % entries_.size()];
    if (entry->checker->stub() && !entry->checker->refusal() && entry->variant() &&
        !entry->variant()->trust->is_first &&
        entry->checker->can_compare(*entry->variant()->trust) && !entry->is_off())
      return entry;
  }
  return nullptr;
}

void Verifier::take_out(RuntimeEntry &entry, const runtime::CallChecker::DifferentBytes &found) {
  owner_.mutex.assert_held();
  const runtime::CallChecker::Culprit &culprit = found.variant;
  const Failure failure{
      ErrorCode::quarantined, culprit.name,
      "gave another result than the native code: " + found.text(),
      "use another configuration, and report the handler; SARTOR_VERIFY=off compares nothing"};
  const auto differs = [](const runtime::Variant &each) { return each.trust->differs.load(); };
  owner_.cache->drop_if(differs);
  owner_.stop_rotations(differs);
  if (!culprit.key.empty())
    quarantined_.try_emplace(culprit.key, failure);
  ++before_[entry.handler()].differences;
  if (!culprit.quarantine_key.handler.empty()) {
    to_add_.push_back(core::quarantine_entry(culprit.quarantine_key, culprit.name,
                                             core::QuarantineReason::different));
    if (owner_.options.share_quarantine)
      to_share_.push_back({to_add_.back(), culprit.asked});
  }
  // Others may have found the variant in the cache.
  auto entries = owner_.entries.all();
  std::ranges::copy(owner_.bindings.all(), std::back_inserter(entries));
  for (RuntimeEntry *each : entries)
    if (const runtime::VariantRef active = each->variant(); active && active->trust->differs) {
      owner_.forget_dependency(*each);
      runtime::retire(each->fall_back(nullptr));
    }
  auto fields = to_json(failure);
  fields["handler"] = entry.handler();
  fields["text"] = culprit.configuration;
  fields["compared"] = culprit.compared;
  to_record_.push_back({std::move(fields), found.call});
}

void Verifier::share(const ToShare &quarantined) const {
  if (shared_quarantine_)
    core::share(*shared_quarantine_, quarantined.entry);
  if (!quarantined.asked)
    return;
  const auto compiler =
      runtime::choose_compiler({owner_.options.compiler, owner_.options.compiler_server},
                               "the report of a quarantined variant");
  const auto reported = compiler ? (*compiler)->report_quarantined(*quarantined.asked)
                                 : Result<void>(std::unexpected(compiler.error()));
  if (!reported && owner_.events)
    owner_.events->failure("quarantine_not_shared", reported.error());
}

void Verifier::record(Found found) const {
  const auto directory = runtime::record_difference(
      *found.call, *owner_.module, core::state_directory(owner_.options.state_directory));
  if (directory)
    found.fields["directory"] = directory->string();
  else if (owner_.events)
    owner_.events->failure("difference_not_recorded", directory.error());
  if (owner_.events)
    owner_.events->append("difference", found.fields);
  if (aborts_) {
    base::complain(found.fields.dump());
    std::abort();
  }
}

} // namespace sartor
