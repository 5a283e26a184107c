// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_GUEST_PROGRAMS_HPP
#define SARTOR_GUEST_PROGRAMS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sartor/bound_argument.hpp>
#include <sartor/c/guest_programs.h>
#include <sartor/invariant.hpp>
#include <sartor/runtime.hpp>

namespace sartor {

enum class GuestState : std::uint8_t {
  counted = SARTOR_GUEST_COUNTED,     ///< It is not hot, or there was no room for it.
  requested = SARTOR_GUEST_REQUESTED, ///< Its variant is being made.
  measured = SARTOR_GUEST_MEASURED,   ///< The variant is being compared with the interpreter.
  ready = SARTOR_GUEST_READY,         ///< The variant is to be run.
  excluded = SARTOR_GUEST_EXCLUDED    ///< Permanently; see GuestProgram::why_not().
};

/// Options of all programs of a set.
struct GuestLimits {
  /// The maximum number of programs that have a variant or a request for one.
  /// Runtime::limit_bindings() limits it as well.
  std::size_t most = 1000;
  bool waits = false;   ///< Requests for a variant wait for it.
  bool in_part = false; ///< A variant is accepted although a loop over the program remains in it.
  bool measures =
      false; ///< A variant is kept only if it is shown to be faster (GuestRun), in part too.
  /// Called with the outcome of each program, on the thread that finds it. `text` describes a
  /// variant as sartor_binding_wait_with_report() does, or gives the reason why there is none. With
  /// `counted`: there is no room for it now; reported once. Must not throw.
  std::function<void(void *owner, GuestState state, const char *text)> report = {};
  /// Returns the name of the guest function that `owner` has requested, which the name of its
  /// variant shows in place of the bound arguments: `run(fib){}`. Called before the request.
  /// Empty: it has none. Must not throw.
  std::function<std::string(void *owner)> function_name = {};
};

/// State of one program that a handler interprets. The owner of the program keeps it with the
/// program: it counts uses and returns the code to run. Wraps a `sartor_guest_program`, under the
/// rules of its functions.
class GuestProgram {
public:
  GuestProgram() = default;
  /// Releases the program.
  ~GuestProgram() { release(); }
  GuestProgram(const GuestProgram &) = delete;
  GuestProgram &operator=(const GuestProgram &) = delete;

  /// True if it is hot: it is time for GuestPrograms::specialize().
  bool count(std::uintptr_t times, std::uintptr_t heat) noexcept {
    return sartor_guest_count(&program_, times, heat) != 0;
  }
  [[nodiscard]] GuestState state() const noexcept {
    return static_cast<GuestState>(sartor_guest_state_of(&program_));
  }
  /// The function of a variant that is ready, with the type that it has without the bound
  /// arguments; null: interpret.
  template <class Signature> [[nodiscard]] Signature *function() noexcept {
    return reinterpret_cast<Signature *>(sartor_guest_function(&program_));
  }
  /// The reason why it is excluded; empty if it is not.
  [[nodiscard]] std::string why_not() const;
  /// See sartor_guest_release(). `freed` must not throw.
  void release(std::function<void()> freed = {}) noexcept;

private:
  friend class GuestPrograms;
  friend class GuestRun;

  sartor_guest_program program_{};
};

/// One run of a program in a set that measures: GuestProgram::function(), with a measurement of
/// which code is faster. Any thread may run any program at any time.
class GuestRun {
public:
  explicit GuestRun(GuestProgram &program) noexcept
      : function_(sartor_guest_run_begin(&program.program_, &run_)) {}
  template <class Signature> [[nodiscard]] Signature *function() const noexcept {
    return reinterpret_cast<Signature *>(function_);
  }
  /// See sartor_guest_run_end().
  void end(std::uint64_t units = 1) noexcept { sartor_guest_run_end(&run_, units); }

private:
  sartor_guest_run run_;
  void (*function_)();
};

/// Programs that share limits: requests variants of those that are hot, notices when they are ready
/// and whether they are worth it, and releases their resources. Thread-safe. The runtime must
/// outlive it.
class GuestPrograms {
public:
  explicit GuestPrograms(Runtime &runtime, GuestLimits limits = {});
  /// Releases the remaining programs.
  ~GuestPrograms();
  GuestPrograms(const GuestPrograms &) = delete;
  GuestPrograms &operator=(const GuestPrograms &) = delete;

  /// Requests a variant, in the background; `invariant` covers memory that does not change until
  /// the program is released. See sartor_guest_specialize(). Throws the errors of Runtime::bind();
  /// the program is excluded then.
  void specialize(GuestProgram &program, std::string_view handler,
                  const std::map<unsigned, BoundArgument> &arguments, Invariant invariant,
                  void *owner = nullptr) {
    specialize(program.program_, handler, arguments, std::move(invariant), owner);
  }
  void specialize(sartor_guest_program &program, std::string_view handler,
                  const std::map<unsigned, BoundArgument> &arguments, Invariant invariant,
                  void *owner);

  /// Excludes a program for a reason of the owner's, who knows that no variant would be right, or
  /// useful.
  void exclude(GuestProgram &program, std::string why, void *owner = nullptr) {
    exclude(program.program_, std::move(why), owner);
  }
  void exclude(sartor_guest_program &program, std::string why, void *owner);

  struct Impl;

private:
  std::shared_ptr<Impl> impl_; ///< Shared with programs.
};

} // namespace sartor

#endif
