// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PROGRAMS_GUEST_PROGRAMS_H
#define SARTOR_TUNER_PROGRAMS_GUEST_PROGRAMS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <sartor/guest_programs.hpp>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "runtime/codemem/code.h"
#include "runtime/program_names.h"
#include "tuner/programs/duel.h"

namespace sartor {

/// Target of the word of a requested program: read by the program itself.
struct alignas(16) GuestTarget {
  void (*function)() = nullptr; ///< Written before the word allows reading it.
};

/// A requested program, until it is released.
struct HotGuest;

struct GuestPrograms::Impl : std::enable_shared_from_this<Impl> {
  Impl(Runtime &of, GuestLimits how);

  /// `invariant` is called once there is room.
  void specialize(sartor_guest_program &program, std::string_view handler,
                  const std::map<unsigned, BoundArgument> &arguments,
                  const std::function<Invariant()> &invariant, void *owner) SARTOR_RUNS_PROGRAM;
  void exclude(sartor_guest_program &program, std::string why, void *owner) SARTOR_RUNS_PROGRAM;
  void release_all();

  /// Keeps code and memory alive: a share in a binding, and an invariant. Counts towards the limit
  /// of the set.
  struct Held {
    explicit Held(std::shared_ptr<Impl> in) : set(std::move(in)) {}
    ~Held();
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

    std::shared_ptr<Impl> set;
    std::optional<runtime::ProgramName> name; ///< Outlives the share.
    Invariant invariant;                      ///< Outlives the share.
    std::optional<detail::Share> share;
    std::shared_future<Result<void *>> function; ///< Calls the variant.
    std::map<unsigned, BoundArgument> arguments; ///< Those that it passes.
    std::shared_ptr<runtime::Code> code;         ///< See EntryTable::hold_function().
  };

  HotGuest &add(sartor_guest_program &program, void *owner) SARTOR_REQUIRES(mutex);
  void make_function(HotGuest &hot, const std::map<unsigned, BoundArgument> &arguments);
  void report_not_now(void *owner, const std::string &why) SARTOR_RUNS_PROGRAM;

  Runtime &runtime;
  const GuestLimits limits;
  std::optional<std::string> inactive; ///< Reason why nothing can be compiled.

  base::Mutex mutex;
  std::set<HotGuest *> programs SARTOR_GUARDED_BY(mutex);
  std::size_t held SARTOR_GUARDED_BY(mutex) = 0;
  /// Reasons why programs are counted anew, each of which is reported once.
  std::set<std::string> reported SARTOR_GUARDED_BY(mutex);
  std::function<std::string(void *owner)> function_name SARTOR_GUARDED_BY(mutex);
};

struct HotGuest : GuestTarget {
  HotGuest(std::shared_ptr<GuestPrograms::Impl> in, sartor_guest_program &of, void *whose)
      : set(std::move(in)), program(of), owner(whose) {}

  void enter(GuestState state);
  /// May be called by the thread that has set `is_busy`. Requires a binding.
  void decide() SARTOR_RUNS_PROGRAM;
  void exclude(std::string why) SARTOR_RUNS_PROGRAM;

  /// Called by the interpreter while the program is requested or measured.
  static void (*find_function(const sartor_guest_program &program))() SARTOR_RUNS_PROGRAM;
  static void (*begin(const sartor_guest_program &program,
                      sartor_guest_run &run))() SARTOR_RUNS_PROGRAM;
  static void end(const sartor_guest_run &run, std::uint64_t units) SARTOR_RUNS_PROGRAM;

  static HotGuest *of(const sartor_guest_program &program);
  static void release(sartor_guest_program &program,
                      std::function<void()> freed) SARTOR_RUNS_PROGRAM;

  const std::shared_ptr<GuestPrograms::Impl> set;
  sartor_guest_program &program;
  void *const owner;
  std::string handler;
  std::shared_ptr<GuestPrograms::Impl::Held> held;
  bool was_held = false; ///< A variant depends on it, or did.
  std::atomic<bool> is_busy = true;
  std::string reported;     ///< The variant, or the reason for its exclusion.
  std::uint64_t number = 0; ///< Number of its duel.
  std::optional<Duel> duel;

private:
  void look() SARTOR_RUNS_PROGRAM;
  void (*begin(sartor_guest_run &run))();
  void enter_left_alone(std::string why);
  void report(GuestState state) const SARTOR_RUNS_PROGRAM;
  void drop();
};

} // namespace sartor

#endif
