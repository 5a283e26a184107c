// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PROGRAMS_HPP
#define SARTOR_PROGRAMS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sartor/bound_argument.hpp>
#include <sartor/invariant.hpp>
#include <sartor/programs.h>
#include <sartor/runtime.hpp>

namespace sartor {

enum class ProgramState : std::uint8_t {
  counted = SARTOR_PROGRAM_COUNTED,      ///< It is not hot, or there was no room for it.
  asked_for = SARTOR_PROGRAM_ASKED_FOR,  ///< Its variant is being made.
  measured = SARTOR_PROGRAM_MEASURED,    ///< Whether the variant is faster is being found out.
  ready = SARTOR_PROGRAM_READY,          ///< The variant is to be run.
  left_alone = SARTOR_PROGRAM_LEFT_ALONE ///< For good: Program::why_not() says why.
};

/// What holds for all programs of a set.
struct ProgramLimits {
  /// That may have a variant, or be asked for, at a time. Nor are there more than
  /// Runtime::limit_bindings() says.
  std::size_t most = 1000;
  bool waits = false;   ///< Who asks for a variant waits for it.
  bool in_part = false; ///< A variant is taken although a loop over the program is left in it.
  bool measures =
      false; ///< A variant is kept only if it is shown to be faster (ProgramRun), in part too.
  /// Told what has come of each program, on the thread that finds out. `text` is a variant as
  /// sartor_binding_wait_and_tell() tells of it, or why there is none. With `counted`: there is no
  /// room for it now; said once. Must not throw.
  std::function<void(void *owner, ProgramState state, const char *text)> tell = {};
};

/// What is known of one program that a handler interprets. Whoever owns the program keeps it with
/// that: it counts, and tells what is to run. A `sartor_program`, with its functions' rules.
class Program {
public:
  Program() = default;
  /// Gives it back.
  ~Program() { give_back(); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Whether it is hot: it is time for Programs::ask_for().
  bool count(std::uintptr_t times, std::uintptr_t heat) noexcept {
    return sartor_count(&program_, times, heat) != 0;
  }
  [[nodiscard]] ProgramState state() const noexcept {
    return static_cast<ProgramState>(sartor_state_of(&program_));
  }
  /// Of a variant that is ready, by the type that it has without the arguments that are bound;
  /// null: interpret.
  template <class Signature> [[nodiscard]] Signature *function() noexcept {
    return reinterpret_cast<Signature *>(sartor_function_of(&program_));
  }
  /// Why it is left alone; empty if it is not.
  [[nodiscard]] std::string why_not() const;
  /// As sartor_give_back(). `freed` must not throw.
  void give_back(std::function<void()> freed = {}) noexcept;

private:
  friend class Programs;
  friend class ProgramRun;

  sartor_program program_{};
};

/// A run of a program in a set that measures: Program::function(), and what it takes to know which
/// is faster. Any thread may run any program at any time.
class ProgramRun {
public:
  explicit ProgramRun(Program &program) noexcept
      : function_(sartor_begin_run(&program.program_, &run_)) {}
  template <class Signature> [[nodiscard]] Signature *function() const noexcept {
    return reinterpret_cast<Signature *>(function_);
  }
  /// As sartor_end_run().
  void end(std::uint64_t units = 1) noexcept { sartor_end_run(&run_, units); }

private:
  sartor_run run_;
  void (*function_)();
};

/// Programs that share limits: has variants made of those that are hot, finds out when they are
/// there and whether they are worth it, and gives back what they need. Thread-safe. The runtime
/// must outlive it.
class Programs {
public:
  explicit Programs(Runtime &runtime, ProgramLimits limits = {});
  /// Gives back what is left.
  ~Programs();
  Programs(const Programs &) = delete;
  Programs &operator=(const Programs &) = delete;

  /// Asks for a variant, in the background, of memory that does not change until the program is
  /// given back. As sartor_ask_for(); throws what Runtime::bind() throws, having left the program
  /// alone.
  void ask_for(Program &program, std::string_view handler,
               const std::map<unsigned, BoundArgument> &arguments, Invariant promised,
               void *owner = nullptr) {
    ask_for(program.program_, handler, arguments, std::move(promised), owner);
  }
  void ask_for(sartor_program &program, std::string_view handler,
               const std::map<unsigned, BoundArgument> &arguments, Invariant promised, void *owner);

  /// For a reason of the owner's, who knows that no variant would be right, or any good.
  void leave_alone(Program &program, std::string why, void *owner = nullptr) {
    leave_alone(program.program_, std::move(why), owner);
  }
  void leave_alone(sartor_program &program, std::string why, void *owner);

  struct Impl;

private:
  std::shared_ptr<Impl> impl_; ///< Shared with programs.
};

} // namespace sartor

#endif
