/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Programs that a handler interprets, and variants for those that are hot: docs/interpreters.md, "A
 * program becomes hot". Whoever owns a program keeps a sartor_program with it, counts, and asks
 * what is to run: the answer is one load, once it has been found. No thread is needed for that.
 */
#ifndef SARTOR_PROGRAMS_H
#define SARTOR_PROGRAMS_H

#include <stddef.h>

#include <sartor/program.h>
#include <sartor/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What holds for all programs of a set. All zero is what most want. */
typedef struct {
  /** That may have a variant, or be asked for, at a time; 0: 1,000. Nor are there more than
   *  sartor_limit_bindings() says. */
  size_t most;
  /** Not 0: who asks for a variant waits for it. */
  int waits;
  /** Not 0: a variant is taken although a loop over the program is left in it. */
  int in_part;
  /** Not 0: a variant is kept only if it is shown to be faster (sartor_begin_run()), in part too.
   */
  int measures;
  /** Told what has come of each program, on the thread that finds out in one of the functions
   * below; or null. `text` is a variant as sartor_binding_wait_and_tell() tells of it, or why there
   * is none. With SARTOR_PROGRAM_COUNTED: there is no room for it now; said once. */
  void (*tell)(void *owner, enum sartor_program_state state, const char *text);
} sartor_program_limits;

/** Programs that share limits. */
typedef struct sartor_programs sartor_programs;
/** `limits` may be null. Close it before the runtime. */
sartor_status sartor_open_programs(sartor_runtime *runtime, const sartor_program_limits *limits,
                                   sartor_programs **out);
/** Gives back what is left. Null is allowed. */
void sartor_close_programs(sartor_programs *programs);

/** What a program's variant is made of. Nothing of this need outlive the call. */
typedef struct {
  const char *handler;
  const sartor_argument *arguments; /**< As for sartor_bind(). */
  size_t arguments_count;
  const sartor_part *parts; /**< Of memory that does not change until the program is given back. */
  size_t parts_count;
  void *owner; /**< For `tell`. */
} sartor_program_request;
/** Asks for a variant, in the background. Where none can be made, the program is left alone, which
 *  is told, and the error is returned too; unless that comes out later. Does nothing for a program
 *  that is not SARTOR_PROGRAM_COUNTED. Where there is no room, the program is counted anew. */
sartor_status sartor_ask_for(sartor_programs *programs, sartor_program *program,
                             const sartor_program_request *request);
/** Leaves a program alone for a reason of the owner's, who knows that no variant would be right, or
 *  any good. Does nothing for one that is not SARTOR_PROGRAM_COUNTED. */
sartor_status sartor_leave_alone(sartor_programs *programs, sartor_program *program,
                                 const char *why, void *owner);

#ifdef __cplusplus
}
#endif

#endif
