/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What is known of a program that a handler interprets, and what is to run: for all files of an
 * interpreter, so it includes nothing of Sartor's. How programs are asked for: programs.h.
 */
#ifndef SARTOR_PROGRAM_H
#define SARTOR_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

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
    return NULL; /* NOLINT(modernize-use-nullptr): C has none */
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
    return NULL; /* NOLINT(modernize-use-nullptr): C has none */
  }
}
/** The run is over, and has done so much work: what makes runs alike, such as bytes that were read,
 *  or 1 for each. A run that is not ended, by longjmp() or an exception, is not counted; nor is one
 *  within which another one was measured. The program may be gone by now. */
static inline void sartor_end_run(const sartor_run *run, uint64_t units) {
  if (run->number)
    sartor_end_measured_run(run, units);
}

/** A place in a run of a program: the frame, if there are several, and the next instruction. */
typedef struct {
  const void *frame;
  const void *instruction;
} sartor_program_place;

/** Whether a run that was entered at one place and has been left at another got anywhere. If not, a
 *  variant that is entered there is left there again, for ever: let the interpreter execute the
 *  instruction. */
static inline int sartor_made_progress(sartor_program_place entered, sartor_program_place left) {
  return entered.frame != left.frame || entered.instruction != left.instruction;
}

#ifdef __cplusplus
}
#endif

#endif
