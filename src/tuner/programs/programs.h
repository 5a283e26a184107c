// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PROGRAMS_PROGRAMS_H
#define SARTOR_TUNER_PROGRAMS_PROGRAMS_H

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

#include <sartor/programs.hpp>

#include "base/mutex.h"
#include "base/result.h"
#include "tuner/programs/duel.h"

namespace sartor {

/// What the word of a program that was asked for leads to: read by the program itself.
struct alignas(16) ProgramTarget {
  void (*function)() = nullptr; ///< Written before the word says that it may be read.
};

/// One program that was asked for, until it is given back.
struct HotProgram;

struct Programs::Impl : std::enable_shared_from_this<Impl> {
  Impl(Runtime &of, ProgramLimits how);

  /// `promise` is called once there is room.
  void ask_for(sartor_program &program, std::string_view handler,
               const std::map<unsigned, BoundArgument> &arguments,
               const std::function<Invariant()> &promise, void *owner) SARTOR_RUNS_PROGRAM;
  void leave_alone(sartor_program &program, std::string why, void *owner) SARTOR_RUNS_PROGRAM;
  void give_back_all();

  /// What keeps code and memory: a share in a binding, and a promise. Has a place in the set.
  struct Held {
    explicit Held(std::shared_ptr<Impl> in) : set(std::move(in)) {}
    ~Held();
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

    std::shared_ptr<Impl> set;
    Invariant promise; ///< Outlives the share.
    std::optional<detail::Share> share;
    std::shared_future<Result<void *>> function; ///< That calls the variant.
  };

  HotProgram &add(sartor_program &program, void *owner) SARTOR_REQUIRES(mutex);
  void make_function(HotProgram &hot, const std::map<unsigned, BoundArgument> &arguments);

  Runtime &runtime;
  const ProgramLimits limits;
  std::optional<std::string> inactive; ///< Why nothing can be made.

  base::Mutex mutex;
  std::set<HotProgram *> programs SARTOR_GUARDED_BY(mutex);
  std::size_t held SARTOR_GUARDED_BY(mutex) = 0;
  bool is_full_told SARTOR_GUARDED_BY(mutex) = false;
};

struct HotProgram : ProgramTarget {
  HotProgram(std::shared_ptr<Programs::Impl> in, sartor_program &of, void *whose)
      : set(std::move(in)), program(of), owner(whose) {}

  void enter(ProgramState state);
  /// Whoever has taken `is_busy` may call these. It has a binding.
  void decide() SARTOR_RUNS_PROGRAM;
  void leave_alone(std::string why) SARTOR_RUNS_PROGRAM;

  /// What is asked, and told: while it is asked for or measured.
  void look() SARTOR_RUNS_PROGRAM;
  void (*begin(sartor_run &run))();
  static void end(const sartor_run &run, std::uint64_t units) SARTOR_RUNS_PROGRAM;

  static HotProgram *of(const sartor_program &program);
  static void give_back(sartor_program &program, std::function<void()> freed) SARTOR_RUNS_PROGRAM;

  const std::shared_ptr<Programs::Impl> set;
  sartor_program &program;
  void *const owner;
  std::string handler;
  std::shared_ptr<Programs::Impl::Held> held;
  bool was_held = false; ///< Something may lean on it, or has.
  std::atomic<bool> is_busy = true;
  std::string told;         ///< The variant, or why it is left alone.
  std::uint64_t number = 0; ///< Of its duel.
  std::optional<Duel> duel;

private:
  void enter_left_alone(std::string why);
  void tell(ProgramState state) const SARTOR_RUNS_PROGRAM;
  void drop();
};

} // namespace sartor

#endif
