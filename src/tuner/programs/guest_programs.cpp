// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/programs/guest_programs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <unordered_map>
#include <utility>

#include <cxxabi.h>
#include <x86intrin.h>

#include "base/life.h"
#include "base/text/json.h"
#include "core/report_json.h"
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"
#include "runtime/jit/helper.h"
#include "runtime/release.h"

namespace sartor {

namespace {

/// All programs that are measured, by number: a run may end after its program was released.
struct Duels {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, HotGuest *> programs SARTOR_GUARDED_BY(mutex);
  std::uint64_t last SARTOR_GUARDED_BY(mutex) = 0;
};
Duels &duels() {
  static auto *all = new Duels; // used while the process exits
  return *all;
}

/// Number of runs that this thread has begun to measure. A run that contains other runs is not
/// compared, because these may have used the other side.
thread_local std::uint64_t runs_begun = 0;

/// Reason why a variant is not activated, or nothing. Unless `in_part`, a variant that returns to
/// the interpreter is refused.
std::optional<std::string> refused(const VariantInfo &made, bool in_part) {
  if (made.origin == VariantOrigin::native)
    return "nothing is known of it: it would run native code";
  if (in_part || made.fold_report.followed == Followed::whole)
    return std::nullopt;
  std::string why = made.fold_report.followed == Followed::in_part
                        ? "the program is followed in part"
                        : "the program is not followed";
  for (const Remark &remark : made.remarks)
    why += "; " + remark.text();
  return why;
}

/// False if arguments were dropped, because the handler has no room for another binding: the
/// variant would know nothing of the program.
bool knows_all(const detail::Share &share, const std::map<unsigned, BoundArgument> &arguments) {
  const auto &entry = static_cast<const detail::BoundEntry &>(entry_of(share.target()));
  return entry.arguments.size() == arguments.size();
}

std::string text_of(const Estimate &gain) {
  std::array<char, 120> text{};
  std::snprintf(text.data(), text.size(),
                "not worth it: %.2f times as fast as interpreted (%.2f to %.2f, %zu pairs)",
                1 + gain.mean, 1 + gain.low, 1 + gain.high, gain.windows);
  return text.data();
}

/// Adds the measured gain to the description of a variant.
std::string with_gain(const std::string &described, const Estimate &gain) {
  auto json = parse_json(described);
  if (!json)
    return described;
  (*json)["gain"] = {{"ratio", 1 + gain.mean},
                     {"low", 1 + gain.low},
                     {"high", 1 + gain.high},
                     {"pairs", gain.windows}};
  return dump(*json);
}

} // namespace

GuestPrograms::Impl::Held::~Held() {
  if (share && !base::is_exiting()) { // else threads may still call it
    RuntimeEntry &entry = entry_of(share->target());
    entry.owner.entries.release_function(entry, arguments, code);
  }
  const base::MutexLock lock(set->mutex);
  --set->held;
}

GuestPrograms::Impl::Impl(Runtime &of, GuestLimits how)
    : runtime(of), limits(std::move(how)), function_name(limits.function_name) {
  begin_releasing();
  if (runtime.active() || runtime.opening())
    return;
  inactive = "Sartor is switched off";
  try {
    runtime.prepare({}).get();
  } catch (const Error &error) {
    inactive = error.what();
  }
}

HotGuest &GuestPrograms::Impl::add(sartor_guest_program &program, void *owner) {
  auto *const hot = new HotGuest(shared_from_this(), program, owner);
  programs.insert(hot);
  hot->enter(GuestState::requested);
  return *hot;
}

void GuestPrograms::Impl::exclude(sartor_guest_program &program, std::string why, void *owner) {
  base::MutexLock lock(mutex);
  if (sartor_guest_state_of(&program) != SARTOR_GUEST_COUNTED)
    return;
  HotGuest &hot = add(program, owner);
  lock.unlock();
  hot.exclude(std::move(why));
}

void GuestPrograms::Impl::specialize(sartor_guest_program &program, std::string_view handler,
                                     const std::map<unsigned, BoundArgument> &arguments,
                                     const std::function<Invariant()> &invariant, void *owner) {
  if (inactive) {
    exclude(program, *inactive, owner);
    return;
  }
  const bool is_opening = !runtime.active();
  if (is_opening)
    (void)runtime.prepare({}); // the child of a fork() begins to wait for the server again
  base::MutexLock lock(mutex);
  if (sartor_guest_state_of(&program) != SARTOR_GUEST_COUNTED)
    return;
  if (is_opening || held >= limits.most) {
    __atomic_store_n(&program.word, 0, __ATOMIC_RELAXED);
    lock.unlock();
    report_not_now(owner, is_opening
                              ? "the compiler does not answer yet"
                              : "no room: there are variants for " + std::to_string(limits.most));
    return;
  }
  HotGuest &hot = add(program, owner);
  ++held;
  hot.held = std::make_shared<Held>(shared_from_this());
  hot.was_held = true;
  const auto name_of = function_name;
  lock.unlock();
  hot.handler = handler;
  try {
    if (name_of)
      hot.held->name.emplace(arguments, base::run_program(name_of, owner));
    hot.held->invariant = base::run_program(invariant);
    hot.held->share.emplace(runtime.bind(handler, arguments));
    if (!knows_all(*hot.held->share, arguments)) {
      hot.held->share.reset(); // nothing has run it; it would take the room that is given back
      HotGuest::release(program, {});
      report_not_now(owner, "no room: the handler has as many bindings as limit_bindings() allows");
      return;
    }
    make_function(hot, arguments);
  } catch (const abi::__forced_unwind &) { // the thread is being cancelled
    throw;
  } catch (const std::exception &error) {
    hot.exclude(error.what());
    throw;
  } catch (...) { // of a function of the program's
    hot.exclude("an exception of unknown type");
    throw;
  }
  if (limits.waits)
    hot.decide();
  else
    hot.is_busy = false;
}

void GuestPrograms::Impl::report_not_now(void *owner, const std::string &why) {
  base::MutexLock lock(mutex);
  const bool is_new = reported.insert(why).second;
  lock.unlock();
  if (is_new && limits.report)
    base::run_program(limits.report, owner, GuestState::counted, why.c_str());
}

// A worker that dropped the last reference would wait for itself, so the release is deferred.
void GuestPrograms::Impl::make_function(HotGuest &hot,
                                        const std::map<unsigned, BoundArgument> &arguments) {
  const auto made = std::make_shared<std::promise<Result<void *>>>();
  hot.held->function = made->get_future();
  const auto kept = std::make_shared<std::shared_ptr<Held>>(hot.held);
  hot.held->arguments = arguments;
  RuntimeEntry &entry = entry_of(hot.held->share->target());
  or_throw(entry.owner.entries.make_function(entry, arguments, hot.held->code,
                                             [made, kept](Result<void *> function) {
                                               made->set_value(std::move(function));
                                               sartor::release(std::exchange(*kept, nullptr));
                                             }));
}

void GuestPrograms::Impl::release_all() {
  base::MutexLock lock(mutex);
  while (!programs.empty()) {
    sartor_guest_program &program = (*programs.begin())->program;
    lock.unlock();
    HotGuest::release(program, {});
    lock.lock();
  }
}

HotGuest *HotGuest::of(const sartor_guest_program &program) {
  const std::uintptr_t word = __atomic_load_n(&program.word, __ATOMIC_ACQUIRE);
  if ((word & SARTOR_GUEST_STATES) == SARTOR_GUEST_COUNTED)
    return nullptr;
  return static_cast<HotGuest *>(reinterpret_cast<GuestTarget *>(word & ~SARTOR_GUEST_STATES));
}

void HotGuest::enter(GuestState state) {
  __atomic_store_n(&program.word,
                   reinterpret_cast<std::uintptr_t>(static_cast<GuestTarget *>(this)) |
                       static_cast<std::uintptr_t>(state),
                   __ATOMIC_RELEASE);
}

void HotGuest::report(GuestState state) const {
  if (state == GuestState::excluded)
    set->runtime.log_event("program", dump({{"handler", handler}, {"excluded", reported}}));
  if (set->limits.report)
    base::run_program(set->limits.report, owner, state, reported.c_str());
}

// Releases the last reference later, so that memory stays readable, and code executable, as long as
// any thread uses them.
void HotGuest::drop() {
  if (!held)
    return;
  held->invariant.invalidate_later();
  sartor::release(std::exchange(held, nullptr));
}

void HotGuest::exclude(std::string why) {
  enter_left_alone(std::move(why));
  report(GuestState::excluded);
}

void HotGuest::enter_left_alone(std::string why) {
  reported = std::move(why);
  drop();
  enter(GuestState::excluded);
}

void HotGuest::decide() {
  try {
    const VariantInfo made = held->share->wait();
    if (auto why = refused(made, set->limits.in_part || set->limits.measures)) {
      exclude(std::move(*why));
      return;
    }
    reported = text_of(made);
    const Result<void *> &called = runtime::get_helping(held->function);
    if (!called) {
      exclude(called.error().text());
      return;
    }
    function = reinterpret_cast<void (*)()>(*called);
  } catch (const std::exception &error) {
    exclude(error.what());
    return;
  }
  if (!set->limits.measures) {
    enter(GuestState::ready);
    report(GuestState::ready);
    return;
  }
  const base::MutexLock lock(duels().mutex);
  number = ++duels().last;
  duel.emplace(number);
  duels().programs.emplace(number, this);
  enter(GuestState::measured);
}

// One thread at a time: a decision may drop `held`.
void HotGuest::look() {
  if (is_busy.load(std::memory_order_relaxed) || is_busy.exchange(true, std::memory_order_acquire))
    return;
  if (held->share->ready() &&
      held->function.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    decide(); // it stays busy: nothing is left to decide
  else
    is_busy.store(false, std::memory_order_release);
}

void (*HotGuest::find_function(const sartor_guest_program &program))() {
  const runtime::Reading reading; // a program without room is given back while others look
  if (HotGuest *const hot = of(program))
    hot->look();
  return sartor_guest_state_of(&program) == SARTOR_GUEST_READY ? of(program)->function : nullptr;
}

void (*HotGuest::begin(const sartor_guest_program &program, sartor_guest_run &run))() {
  const runtime::Reading reading;
  (void)find_function(program);
  HotGuest *const hot = of(program);
  return hot ? hot->begin(run) : nullptr;
}

void (*HotGuest::begin(sartor_guest_run &run))() {
  const base::MutexLock lock(duels().mutex);
  if (!duels().programs.contains(number))
    return sartor_guest_state_of(&program) == SARTOR_GUEST_READY ? function : nullptr;
  run.number = number;
  run.window = duel->window();
  run.nesting = ++runs_begun;
  run.began = __rdtsc();
  return duel->turn() == Duel::Side::challenger ? function : nullptr;
}

void HotGuest::end(const sartor_guest_run &run, std::uint64_t units) {
  const std::uint64_t now = __rdtsc();
  if (run.nesting != runs_begun)
    return;
  base::MutexLock lock(duels().mutex);
  const auto found = duels().programs.find(run.number);
  if (found == duels().programs.end())
    return;
  HotGuest &hot = *found->second;
  hot.duel->add(run.window, units, now > run.began ? now - run.began : 0);
  const Duel::Verdict verdict = hot.duel->verdict();
  if (verdict == Duel::Verdict::open)
    return;
  // A thread that releases the program waits for the lock first, and frees this object only after
  // the read section.
  const runtime::Reading reading;
  duels().programs.erase(found);
  const bool is_faster = verdict == Duel::Verdict::faster;
  if (is_faster) {
    hot.reported = with_gain(hot.reported, hot.duel->gain());
    hot.enter(GuestState::ready);
  } else {
    hot.enter_left_alone(text_of(hot.duel->gain()));
  }
  lock.unlock();
  hot.report(is_faster ? GuestState::ready : GuestState::excluded);
}

void HotGuest::release(sartor_guest_program &program, std::function<void()> freed) {
  struct Rest {
    std::unique_ptr<HotGuest> hot;
    std::function<void()> freed;
    std::shared_ptr<GuestPrograms::Impl::Held> held; ///< Destroyed first.

    ~Rest() {
      held.reset();
      if (freed)
        base::run_program(freed);
    }
  };
  HotGuest *const hot = of(program);
  if (hot) {
    {
      const base::MutexLock lock(duels().mutex); // a run that ends writes to the word
      duels().programs.erase(hot->number);
    }
    const base::MutexLock lock(hot->set->mutex);
    hot->set->programs.erase(hot);
  }
  __atomic_store_n(&program.word, 0, __ATOMIC_RELAXED);
  auto rest = std::make_shared<Rest>();
  rest->hot.reset(hot);
  rest->freed = std::move(freed);
  if (!hot || !hot->was_held)
    return; // `rest` frees everything now
  if (hot->held)
    hot->held->invariant.invalidate_later();
  rest->held = std::move(hot->held);
  sartor::release(std::move(rest));
}

std::string GuestProgram::why_not() const {
  const char *why = sartor_guest_why_not(&program_);
  return why ? why : "";
}

void GuestProgram::release(std::function<void()> freed) noexcept {
  HotGuest::release(program_, std::move(freed));
}

GuestPrograms::GuestPrograms(Runtime &runtime, GuestLimits limits)
    : impl_(std::make_shared<Impl>(runtime, std::move(limits))) {}

GuestPrograms::~GuestPrograms() { impl_->release_all(); }

void GuestPrograms::specialize(sartor_guest_program &program, std::string_view handler,
                               const std::map<unsigned, BoundArgument> &arguments,
                               Invariant declared, void *owner) {
  impl_->specialize(program, handler, arguments, [&] { return std::move(declared); }, owner);
  if (!impl_->inactive) // this may be called within a handler
    declared.invalidate_later();
}

void GuestPrograms::exclude(sartor_guest_program &program, std::string why, void *owner) {
  impl_->exclude(program, std::move(why), owner);
}

} // namespace sartor
