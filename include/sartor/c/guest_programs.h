/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Programs that a handler interprets, and variants for those that are hot:
 * docs/guides/interpreter.md, "Hot guest programs". The owner of a program keeps a
 * sartor_guest_program with it, counts uses, and requests the code to run: this takes one load,
 * once it has been found. No thread is needed for that.
 */
#ifndef SARTOR_C_GUEST_PROGRAMS_H
#define SARTOR_C_GUEST_PROGRAMS_H

#include <stddef.h>

#include <sartor/c/sartor.h>
#include <sartor/guest_program.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of all programs of a set. All zero selects the usual defaults. */
typedef struct {
  /** The maximum number of programs that have a variant or a request for one; 0: 1,000.
   *  sartor_limit_bindings() limits it as well. */
  size_t most;
  /** Nonzero: requests for a variant wait for it. */
  int waits;
  /** Nonzero: a variant is accepted although a loop over the program remains in it. */
  int in_part;
  /** Nonzero: a variant is kept only if it is shown to be faster (sartor_guest_run_begin()), in
   *  part too. */
  int measures;
  /** Called with the outcome of each program, on the thread that finds it in one of the functions
   *  below; or null. `text` describes a variant as sartor_binding_wait_with_report() does, with its
   *  `gain` if it was measured (`ratio`, `low`, `high`, `pairs`), or gives the reason why there is
   *  none. With SARTOR_GUEST_COUNTED: there is no room for it now;
   *  reported once. */
  void (*report)(void *owner, enum sartor_guest_state state, const char *text);
} sartor_guest_limits;

/** Programs that share limits. */
typedef struct sartor_guest_programs sartor_guest_programs;
/** `limits` may be null. Close it before the runtime. */
sartor_status sartor_guest_programs_open(sartor_runtime *runtime, const sartor_guest_limits *limits,
                                         sartor_guest_programs **out);
/** Releases the remaining programs. Null is allowed. */
void sartor_guest_programs_close(sartor_guest_programs *programs);

/** Sets a function that returns the name of the guest function that `owner` has requested: the name
 *  of its variant, for debuggers and perf, shows it in place of the bound arguments. It is called
 *  before the request, on the same thread; the name is copied. Null: it has none. */
sartor_status sartor_guest_programs_name_functions(sartor_guest_programs *programs,
                                                   const char *(*function_name)(void *owner));

/** Request for a program's variant. Its content need not outlive the call. */
typedef struct {
  const char *handler;
  const sartor_argument *arguments; /**< See sartor_bind(). */
  size_t arguments_count;
  const sartor_part *parts; /**< Memory that does not change until the program is released. */
  size_t parts_count;
  void *owner; /**< For `report`. */
} sartor_guest_request;
/** Requests a variant, in the background. If none can be made, the program is excluded and
 *  `report` is called; the error is returned too, unless it is found later. Does nothing for a
 *  program that is not SARTOR_GUEST_COUNTED. If there is no room, the count of the program is
 *  reset. */
sartor_status sartor_guest_specialize(sartor_guest_programs *programs,
                                      sartor_guest_program *program,
                                      const sartor_guest_request *request);
/** Excludes a program for a reason of the owner's, who knows that no variant would be right, or
 *  useful. Does nothing for one that is not SARTOR_GUEST_COUNTED. */
sartor_status sartor_guest_exclude(sartor_guest_programs *programs, sartor_guest_program *program,
                                   const char *why, void *owner);

#ifdef __cplusplus
}
#endif

#endif
