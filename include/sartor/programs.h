/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Programs that a handler interprets, and variants for those that are hot: docs/interpreters.md, "A
 * program becomes hot". Whoever owns a program keeps a sartor_program with it, counts, and asks
 * what is to run: the answer is one load, once it has been found. No thread is needed for that.
 */
#ifndef SARTOR_PROGRAMS_H
#define SARTOR_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of a program. All zero to begin with; stays where it is from the time that it is
 *  asked for until it is given back. */
typedef struct {
  uintptr_t word;
} sartor_program;

enum sartor_program_state {
  SARTOR_PROGRAM_COUNTED,   /**< It is not hot, or there was no room for it. */
  SARTOR_PROGRAM_ASKED_FOR, /**< Its variant is being made. */
  SARTOR_PROGRAM_MEASURED,  /**< Whether the variant is faster is being found out. */
  SARTOR_PROGRAM_READY,     /**< The variant is to be run. */
  SARTOR_PROGRAM_LEFT_ALONE /**< For good: sartor_why_not() says why. */
};

/** What holds for all programs of a set. All zero is what most want. */
typedef struct {
  size_t most;  /**< That may have a variant, or be asked for, at a time; 0: 1,000. Nor are there
                   more  than sartor_limit_bindings() says. */
  int waits;    /**< Not 0: who asks for a variant waits for it. */
  int in_part;  /**< Not 0: a variant is taken although a loop over the program is left in it. */
  int measures; /**< Not 0: a variant is kept only if it is shown to be faster: sartor_begin_run().
                 */
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
/** The program is about to be freed or changed; may be called from inside of its own variant, and
 *  waits for nobody. Runs that have begun may go on; no other may begin, nor be about to. The
 * program is as new from now on, even for the same memory. `freed`, or null, is called when nothing
 * leans on the memory any more: at once, or on a thread of Sartor's. Not if the process ends
 * before. */
void sartor_give_back(sartor_program *program, void (*freed)(void *object), void *object);
/** Why a program is left alone; null if it is not. Valid until it is given back. */
const char *sartor_why_not(const sartor_program *program);

/** From inside of a run that was begun with sartor_begin_run(). */
typedef struct {
  uint64_t number; /**< Of what is measured; 0: nothing. */
  uint64_t window;
  uint64_t nesting;
  uint64_t began;
} sartor_run;

/* What the functions below call, seldom. */
void (*sartor_look_for_function(sartor_program *program))(void);
void (*sartor_begin_measured_run(sartor_program *program, sartor_run *run))(void);
void sartor_end_measured_run(const sartor_run *run, uint64_t units);

#define SARTOR_PROGRAM_STATES ((uintptr_t)7)
#define SARTOR_PROGRAM_COUNT ((uintptr_t)8)

/** One load. */
static inline enum sartor_program_state sartor_state_of(const sartor_program *program) {
  return (enum sartor_program_state)(__atomic_load_n(&program->word, __ATOMIC_ACQUIRE) &
                                     SARTOR_PROGRAM_STATES);
}

/** Counts `times` more uses, or whatever is counted. Not 0 once there are `heat` of them: it is
 * time for sartor_ask_for(). Threads that count at the same time may lose some. */
static inline int sartor_count(sartor_program *program, uintptr_t times, uintptr_t heat) {
  uintptr_t word = __atomic_load_n(&program->word, __ATOMIC_RELAXED);
  if (word & SARTOR_PROGRAM_STATES)
    return 0;
  const uintptr_t next = word + times * SARTOR_PROGRAM_COUNT;
  if (!__atomic_compare_exchange_n(&program->word, &word, next, 0, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return 0;
  return next >= heat * SARTOR_PROGRAM_COUNT;
}

/** The function of a variant that is ready, which takes the arguments that are not bound: cast it
 * to its type. Null: interpret. Two loads. */
static inline void (*sartor_function_of(sartor_program *program))(void) {
  const uintptr_t word = __atomic_load_n(&program->word, __ATOMIC_ACQUIRE);
  switch (word & SARTOR_PROGRAM_STATES) {
  case SARTOR_PROGRAM_READY:
    return *(void (**)(void))(word - SARTOR_PROGRAM_READY);
  case SARTOR_PROGRAM_ASKED_FOR:
    return sartor_look_for_function(program);
  default:
    return NULL;
  }
}

/** sartor_function_of() for sets that measure: has runs of the interpreter and of the variant take
 *  turns until it is known which is faster. What is not surely faster is left alone. That is found
 *  out once, and costs nothing afterwards. Any thread may run a program at any time. */
static inline void (*sartor_begin_run(sartor_program *program, sartor_run *run))(void) {
  const uintptr_t word = __atomic_load_n(&program->word, __ATOMIC_ACQUIRE);
  run->number = 0;
  switch (word & SARTOR_PROGRAM_STATES) {
  case SARTOR_PROGRAM_READY:
    return *(void (**)(void))(word - SARTOR_PROGRAM_READY);
  case SARTOR_PROGRAM_ASKED_FOR:
  case SARTOR_PROGRAM_MEASURED:
    return sartor_begin_measured_run(program, run);
  default:
    return NULL;
  }
}
/** The run is over, and has done so much work: what makes runs alike, such as bytes that were read,
 *  or 1 for each. A run that is not ended, by longjmp() or an exception, is not counted; nor is one
 *  within which another one was measured. The program may be gone by now. */
static inline void sartor_end_run(const sartor_run *run, uint64_t units) {
  if (run->number)
    sartor_end_measured_run(run, units);
}

#ifdef __cplusplus
}
#endif

#endif
