// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/programs/programs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include <x86intrin.h>

#include "base/json.h"
#include "core/told.h"
#include "runtime/dispatch/retire.h"
#include "runtime/given_back.h"
#include "runtime/impl.h"
#include "runtime/jit/helper.h"

namespace sartor {

namespace {

/// All that are measured, by number: who ends a run may be later than who gives the program back.
struct Duels {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, HotProgram *> programs SARTOR_GUARDED_BY(mutex);
  std::uint64_t last SARTOR_GUARDED_BY(mutex) = 0;
};
Duels &duels() {
  static auto *all = new Duels; // used while the process exits
  return *all;
}

/// Runs that this thread has begun to measure. One within which others were is not compared: they
/// may have been of the other kind.
thread_local std::uint64_t runs_begun = 0;

/// Why a variant is not activated; or nothing. Unless `in_part`, it must not go on in the
/// interpreter.
std::optional<std::string> refused(const VariantInfo &made, bool in_part) {
  if (made.origin == VariantOrigin::native)
    return "nothing is known of it: it would run native code";
  if (in_part || made.folded.followed == Followed::whole)
    return std::nullopt;
  std::string why = made.folded.followed == Followed::in_part ? "the program is followed in part"
                                                              : "the program is not followed";
  for (const Remark &remark : made.remarks)
    why += "; " + remark.text();
  return why;
}

std::string text_of(const Estimate &gain) {
  std::array<char, 120> text{};
  std::snprintf(text.data(), text.size(),
                "not worth it: %.2f times as fast as interpreted (%.2f to %.2f, %zu pairs)",
                1 + gain.mean, 1 + gain.low, 1 + gain.high, gain.windows);
  return text.data();
}

} // namespace

Programs::Impl::Held::~Held() {
  const base::MutexLock lock(set->mutex);
  --set->held;
}

Programs::Impl::Impl(Runtime &of, ProgramLimits how) : runtime(of), limits(std::move(how)) {
  if (runtime.active()) {
    begin_giving_back();
    return;
  }
  inactive = "Sartor is switched off";
  try {
    runtime.prepare({}).get();
  } catch (const Error &error) {
    inactive = error.what();
  }
}

HotProgram &Programs::Impl::add(sartor_program &program, void *owner) {
  auto *const hot = new HotProgram(shared_from_this(), program, owner);
  programs.insert(hot);
  hot->enter(ProgramState::asked_for);
  return *hot;
}

void Programs::Impl::leave_alone(sartor_program &program, std::string why, void *owner) {
  base::MutexLock lock(mutex);
  if (sartor_state_of(&program) != SARTOR_PROGRAM_COUNTED)
    return;
  HotProgram &hot = add(program, owner);
  lock.unlock();
  hot.leave_alone(std::move(why));
}

void Programs::Impl::ask_for(sartor_program &program, std::string_view handler,
                             const std::map<unsigned, BoundArgument> &arguments,
                             const std::function<Invariant()> &promise, void *owner) {
  if (inactive) {
    leave_alone(program, *inactive, owner);
    return;
  }
  base::MutexLock lock(mutex);
  if (sartor_state_of(&program) != SARTOR_PROGRAM_COUNTED)
    return;
  if (held >= limits.most) {
    __atomic_store_n(&program.word, 0, __ATOMIC_RELAXED);
    const bool is_new = !std::exchange(is_full_told, true);
    lock.unlock();
    if (is_new && limits.tell)
      base::run_program(limits.tell, owner, ProgramState::counted,
                        ("no room: there are variants for " + std::to_string(limits.most)).c_str());
    return;
  }
  HotProgram &hot = add(program, owner);
  ++held;
  hot.held = std::make_shared<Held>(shared_from_this());
  hot.was_held = true;
  lock.unlock();
  hot.handler = handler;
  try {
    hot.held->promise = base::run_program(promise);
    hot.held->share.emplace(runtime.bind(handler, arguments));
    make_function(hot, arguments);
  } catch (const Error &error) {
    hot.leave_alone(error.what());
    throw;
  }
  hot.is_busy = false;
  if (limits.waits && !hot.is_busy.exchange(true))
    hot.decide();
}

// A worker that dropped the last reference would wait for itself.
void Programs::Impl::make_function(HotProgram &hot,
                                   const std::map<unsigned, BoundArgument> &arguments) {
  const auto made = std::make_shared<std::promise<Result<void *>>>();
  hot.held->function = made->get_future();
  const auto kept = std::make_shared<std::shared_ptr<Held>>(hot.held);
  RuntimeEntry &entry = entry_of(hot.held->share->target());
  or_throw(entry.owner.make_function(entry, arguments, [made, kept](Result<void *> function) {
    made->set_value(std::move(function));
    sartor::give_back(std::exchange(*kept, nullptr));
  }));
}

void Programs::Impl::give_back_all() {
  base::MutexLock lock(mutex);
  while (!programs.empty()) {
    sartor_program &program = (*programs.begin())->program;
    lock.unlock();
    HotProgram::give_back(program, {});
    lock.lock();
  }
}

HotProgram *HotProgram::of(const sartor_program &program) {
  const std::uintptr_t word = __atomic_load_n(&program.word, __ATOMIC_ACQUIRE);
  if ((word & SARTOR_PROGRAM_STATES) == SARTOR_PROGRAM_COUNTED)
    return nullptr;
  return static_cast<HotProgram *>(
      reinterpret_cast<ProgramTarget *>(word & ~SARTOR_PROGRAM_STATES));
}

void HotProgram::enter(ProgramState state) {
  __atomic_store_n(&program.word,
                   reinterpret_cast<std::uintptr_t>(static_cast<ProgramTarget *>(this)) |
                       static_cast<std::uintptr_t>(state),
                   __ATOMIC_RELEASE);
}

void HotProgram::tell(ProgramState state) const {
  if (state == ProgramState::left_alone)
    set->runtime.log_event("program", dump({{"handler", handler}, {"left_alone", told}}));
  if (set->limits.tell)
    base::run_program(set->limits.tell, owner, state, told.c_str());
}

// The last reference, so that memory is read, and code run, as long as anybody does.
void HotProgram::drop() {
  if (!held)
    return;
  held->promise.invalidate_later();
  sartor::give_back(std::exchange(held, nullptr));
}

void HotProgram::leave_alone(std::string why) {
  enter_left_alone(std::move(why));
  tell(ProgramState::left_alone);
}

void HotProgram::enter_left_alone(std::string why) {
  told = std::move(why);
  drop();
  enter(ProgramState::left_alone);
}

void HotProgram::decide() {
  try {
    const VariantInfo made = held->share->wait();
    if (auto why = refused(made, set->limits.in_part || set->limits.measures)) {
      leave_alone(std::move(*why));
      return;
    }
    told = text_of(made);
    const Result<void *> &called = runtime::get_helping(held->function);
    if (!called) {
      leave_alone(called.error().text());
      return;
    }
    function = reinterpret_cast<void (*)()>(*called);
  } catch (const std::exception &error) {
    leave_alone(error.what());
    return;
  }
  if (!set->limits.measures) {
    enter(ProgramState::ready);
    tell(ProgramState::ready);
    return;
  }
  const base::MutexLock lock(duels().mutex);
  number = ++duels().last;
  duel.emplace(number);
  duels().programs.emplace(number, this);
  enter(ProgramState::measured);
}

void HotProgram::look() {
  const runtime::Reading reading; // what is given back meanwhile is still there
  if (!is_busy.load(std::memory_order_acquire) && held->share->ready() &&
      held->function.wait_for(std::chrono::seconds(0)) == std::future_status::ready &&
      !is_busy.exchange(true))
    decide();
}

void (*HotProgram::begin(sartor_run &run))() {
  const base::MutexLock lock(duels().mutex);
  if (!duels().programs.contains(number))
    return sartor_state_of(&program) == SARTOR_PROGRAM_READY ? function : nullptr;
  run.number = number;
  run.window = duel->window();
  run.nesting = ++runs_begun;
  run.began = __rdtsc();
  return duel->turn() == Duel::Side::challenger ? function : nullptr;
}

void HotProgram::end(const sartor_run &run, std::uint64_t units) {
  const std::uint64_t now = __rdtsc();
  if (run.nesting != runs_begun)
    return;
  base::MutexLock lock(duels().mutex);
  const auto found = duels().programs.find(run.number);
  if (found == duels().programs.end())
    return;
  HotProgram &hot = *found->second;
  hot.duel->add(run.window, units, now > run.began ? now - run.began : 0);
  const Duel::Verdict verdict = hot.duel->verdict();
  if (verdict == Duel::Verdict::open)
    return;
  // Who gives the program back waits for the lock before that, and frees this after the section.
  const runtime::Reading reading;
  duels().programs.erase(found);
  const bool is_faster = verdict == Duel::Verdict::faster;
  if (is_faster)
    hot.enter(ProgramState::ready);
  else
    hot.enter_left_alone(text_of(hot.duel->gain()));
  lock.unlock();
  hot.tell(is_faster ? ProgramState::ready : ProgramState::left_alone);
}

void HotProgram::give_back(sartor_program &program, std::function<void()> freed) {
  struct Rest {
    std::unique_ptr<HotProgram> hot;
    std::function<void()> freed;
    std::shared_ptr<Programs::Impl::Held> held; ///< Goes first.

    ~Rest() {
      held.reset();
      if (freed)
        base::run_program(freed);
    }
  };
  HotProgram *const hot = of(program);
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
    return; // and with it all there was
  if (hot->held)
    hot->held->promise.invalidate_later();
  rest->held = std::move(hot->held);
  sartor::give_back(std::move(rest));
}

std::string Program::why_not() const {
  const char *why = sartor_why_not(&program_);
  return why ? why : "";
}

void Program::give_back(std::function<void()> freed) noexcept {
  HotProgram::give_back(program_, std::move(freed));
}

Programs::Programs(Runtime &runtime, ProgramLimits limits)
    : impl_(std::make_shared<Impl>(runtime, std::move(limits))) {}

Programs::~Programs() { impl_->give_back_all(); }

void Programs::ask_for(sartor_program &program, std::string_view handler,
                       const std::map<unsigned, BoundArgument> &arguments, Invariant promised,
                       void *owner) {
  impl_->ask_for(program, handler, arguments, [&] { return std::move(promised); }, owner);
  if (!impl_->inactive) // within a handler, perhaps
    promised.invalidate_later();
}

void Programs::leave_alone(sartor_program &program, std::string why, void *owner) {
  impl_->leave_alone(program, std::move(why), owner);
}

} // namespace sartor
