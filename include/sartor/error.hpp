// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ERROR_HPP
#define SARTOR_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>

namespace sartor {

/// Code of an error. The numbers equal those of `sartor_status` in c/error.h and never change.
enum class ErrorCode : int {
  unknown_label = 1,       ///< A configuration names a label that the space does not have.
  value_outside_choices,   ///< A value is not among an enum's choices, or outside a range.
  bad_value_type,          ///< A value does not fit the type of its point.
  conflicting_label,       ///< Two points share a label but differ in kind, type or choices.
  label_not_constant,      ///< A point's label or choices are not compile-time constants.
  point_not_specializable, ///< The shape of the code around the point cannot be specialized.
  no_handler_module,       ///< The program has no handler module embedded.
  bad_bitcode,             ///< Bitcode is truncated or damaged.
  wrong_llvm_version,      ///< Bitcode was written by a newer LLVM than the runtime's.
  wrong_target,            ///< Bitcode is for another target or data layout.
  unknown_handler,         ///< No handler has that name or address.
  missing_symbol,          ///< A symbol that a handler uses has no address in the program.
  unbound_global,          ///< Global state of a handler has no native definition to bind to.
  not_constant,            ///< A sartor_assert_const(x) did not become constant.
  bad_pipeline,            ///< A pass pipeline cannot be parsed or a pass plugin not loaded.
  broken_by_pass,          ///< A user's pass left invalid IR.
  compile_timeout,         ///< A compilation took longer than Options::compile_timeout.
  compile_failed,          ///< LLVM gave up; the message says why.
  too_many_bodies,         ///< Settings with several values would need too many bodies.
  bad_json,                ///< A configuration's text is not valid.
  file_error,              ///< A file cannot be read or written.
  bad_objective,           ///< An objective or an exploration's options make no sense.
  impure_function,         ///< A fast path's function has side effects.
  untied_fast_path,        ///< A fast path's results may become stale, and nothing reports when.
  bad_invariant,           ///< An invariant's memory is not valid, or the invariant was revoked.
  called_from_handler,  ///< A function that waits for handlers to end was called from within one.
  unreadable_memory,    ///< Memory that was declared invariant cannot be read.
  no_profile,           ///< A fast path was set, but nothing has been seen at it.
  bad_binding,          ///< Bound arguments do not fit the handler's parameters.
  unknown_custom_kind,  ///< No generator was added for a custom point's kind.
  bad_generator,        ///< A generator threw, or its text is not the code of the point.
  generated_invalid_ir, ///< A generator's LLVM IR is invalid; the message is from LLVM.
  no_clang,             ///< A generator gives C source, and there is no clang to compile it.
  wrong_profile,        ///< A profile was made with another program.
  forbidden_configuration, ///< A configuration violates a constraint of the space.
  bad_constraint,          ///< A constraint cannot be parsed, or names an unknown label.
  bad_strategy,            ///< A strategy threw, or proposed a configuration outside of the space.
  wrong_journal,           ///< A journal of trials belongs to another exploration.
  store_unreachable,       ///< A study's store or a shared cache cannot be reached or used.
  bad_elf,                 ///< A program or library is damaged, or of an unknown kind.
  bad_pass,                ///< A pass of the loader cannot be loaded, ordered or run.
  bad_settings,            ///< A line of the loader's configuration is wrong.
  bad_plan,                ///< The prepared plan of the loader for a program cannot be used.
  wrong_signature,     ///< A handler's parameters or result differ from those given by the caller.
  no_thread,           ///< A thread that Sartor needs cannot be started.
  forked,              ///< The process was forked meanwhile, or at the wrong time.
  bad_argument,        ///< A null pointer where a value is required.
  already_exploring,   ///< Another explorer works on the same runtime.
  no_compiler,         ///< libsartor-compiler is missing, or is from another build.
  compiler_lost,       ///< The out-of-process compiler, or the server, went away.
  server_refused,      ///< The server does not answer such a request, or not this client's.
  bad_bpf_object,      ///< A BPF object is damaged, or does not match the kernel objects.
  refused_by_verifier, ///< Linux refuses a program; the message has the last lines of its log.
  not_permitted,       ///< This process may not do that in the kernel.
  kernel_lacks,        ///< This kernel is too old, or was built without the needed feature.
  bad_attachment,      ///< An attachment point in the kernel is taken, is gone, or takes no such
                       ///< program.
  bad_choices,         ///< A point has no choices, or a range whose end is before its beginning.
  quarantined,         ///< A variant differed from the native code, or crashed, on this machine.
  compile_memory,      ///< A compilation took more memory than Options::compile_memory_bytes.
  closing, ///< The runtime is closing, or the program exiting, before the code is ready.
  kLast = closing,
};

/// The name of a code, e.g. "unknown_label".
std::string_view to_string(ErrorCode code);

/// The value by which errors travel inside Sartor: code, subject, message and remedy.
struct Failure {
  ErrorCode code;
  std::string subject; ///< The label, file or symbol concerned.
  std::string message; ///< The description of the error.
  std::string remedy;  ///< The suggested fix.

  /// One line: `unknown_label: "Bx": ... (remedy)`.
  [[nodiscard]] std::string text() const;

  bool operator==(const Failure &) const = default;
};

/// The exception that the C++ interface throws. A function that throws it has changed nothing:
/// active variants stay active.
class Error : public std::runtime_error {
public:
  explicit Error(Failure failure)
      : std::runtime_error(failure.text()), failure_(std::move(failure)) {}

  [[nodiscard]] ErrorCode code() const noexcept { return failure_.code; }
  [[nodiscard]] const Failure &failure() const noexcept { return failure_; }

private:
  Failure failure_;
};

} // namespace sartor

#endif
