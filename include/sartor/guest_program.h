/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * State of a guest program, and the code to run for it. Every file of an interpreter may include
 * this header: it includes nothing else of Sartor. Variants are requested with guest_programs.h.
 */
#ifndef SARTOR_GUEST_PROGRAM_H
#define SARTOR_GUEST_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** State of one guest program. Initially all zero; must not move between the request for a
 *  variant and sartor_guest_release(). */
typedef struct {
  uintptr_t word;
} sartor_guest_program;

enum sartor_guest_state {
  SARTOR_GUEST_COUNTED,   /**< It is not hot, or there was no room for it. */
  SARTOR_GUEST_REQUESTED, /**< Its variant is being made. */
  SARTOR_GUEST_MEASURED,  /**< The variant is being compared with the interpreter. */
  SARTOR_GUEST_READY,     /**< The variant is to be run; native code if it is deactivated later. */
  SARTOR_GUEST_EXCLUDED   /**< Permanently excluded: sartor_guest_why_not() gives the reason. */
};

/** Announces that the program is about to be freed or changed. May be called from within its own
 *  variant, and does not block. Runs that have begun may continue; no other may begin or be about
 *  to. From now on, the program counts as new, even for the same memory. `freed`, or null, is
 *  called when nothing depends on the memory any more: at once, or on a thread of Sartor's. It is
 *  not called if the process ends before. */
void sartor_guest_release(sartor_guest_program *program, void (*freed)(void *object), void *object);
/** The reason why a program is excluded; null if it is not. Valid until the program is released. */
const char *sartor_guest_why_not(const sartor_guest_program *program);

/** A run that was begun with sartor_guest_run_begin(). */
typedef struct {
  uint64_t number; /**< Number of the measurement; 0: none. */
  uint64_t window;
  uint64_t nesting;
  uint64_t began;
} sartor_guest_run;

/* Rare paths of the functions below. */
void (*sartor_guest_find_function(sartor_guest_program *program))(void);
void (*sartor_guest_measured_run_begin(sartor_guest_program *program, sartor_guest_run *run))(void);
void sartor_guest_measured_run_end(const sartor_guest_run *run, uint64_t units);

#define SARTOR_GUEST_STATES ((uintptr_t)7)
#define SARTOR_GUEST_COUNT ((uintptr_t)8)

/** Takes one load. */
static inline enum sartor_guest_state sartor_guest_state_of(const sartor_guest_program *program) {
  return (enum sartor_guest_state)(__atomic_load_n(&program->word, __ATOMIC_ACQUIRE) &
                                   SARTOR_GUEST_STATES);
}

/** Adds `times` uses, or another measure of heat. Returns nonzero once the count has reached
 *  `heat`: it is time for sartor_guest_specialize(). Concurrent counts may be lost. */
static inline int sartor_guest_count(sartor_guest_program *program, uintptr_t times,
                                     uintptr_t heat) {
  uintptr_t word = __atomic_load_n(&program->word, __ATOMIC_RELAXED);
  if (word & SARTOR_GUEST_STATES)
    return 0;
  const uintptr_t next = word + times * SARTOR_GUEST_COUNT;
  if (!__atomic_compare_exchange_n(&program->word, &word, next, 0, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return 0;
  return next >= heat * SARTOR_GUEST_COUNT;
}

/** The function of a variant that is ready, which takes the arguments that are not bound: cast it
 *  to its type. Null: interpret. Takes two loads. */
static inline void (*sartor_guest_function(sartor_guest_program *program))(void) {
  const uintptr_t word = __atomic_load_n(&program->word, __ATOMIC_ACQUIRE);
  switch (word & SARTOR_GUEST_STATES) {
  case SARTOR_GUEST_READY:
    return *(void (**)(void))(word - SARTOR_GUEST_READY);
  case SARTOR_GUEST_REQUESTED:
    return sartor_guest_find_function(program);
  default:
    return NULL; /* NOLINT(modernize-use-nullptr): C has none */
  }
}

/** sartor_guest_function() for sets that measure: alternates runs of the interpreter and of the
 *  variant until it is known which is faster. A variant that is not surely faster is not used.
 *  The comparison is made once, and has no cost afterwards. Any thread may run a program at any
 *  time. */
static inline void (*sartor_guest_run_begin(sartor_guest_program *program,
                                            sartor_guest_run *run))(void) {
  const uintptr_t word = __atomic_load_n(&program->word, __ATOMIC_ACQUIRE);
  run->number = 0;
  switch (word & SARTOR_GUEST_STATES) {
  case SARTOR_GUEST_READY:
    return *(void (**)(void))(word - SARTOR_GUEST_READY);
  case SARTOR_GUEST_REQUESTED:
  case SARTOR_GUEST_MEASURED:
    return sartor_guest_measured_run_begin(program, run);
  default:
    return NULL; /* NOLINT(modernize-use-nullptr): C has none */
  }
}
/** Ends a run that did `units` of work: a measure that makes runs comparable, such as bytes read,
 *  or 1 for each run. A run that is not ended, because of longjmp() or an exception, is not
 *  counted; nor is one within which another one was measured. The program may have been released
 *  by now. */
static inline void sartor_guest_run_end(const sartor_guest_run *run, uint64_t units) {
  if (run->number)
    sartor_guest_measured_run_end(run, units);
}

/** A position in a run of a program: the frame, if there are several, and the next instruction. */
typedef struct {
  const void *frame;
  const void *instruction;
} sartor_guest_position;

/** True if a run that was entered at one position and left at another made progress. If not, a
 *  variant that is entered there is left there again, for ever: let the interpreter execute the
 *  instruction. */
static inline int sartor_guest_made_progress(sartor_guest_position entered,
                                             sartor_guest_position left) {
  return entered.frame != left.frame || entered.instruction != left.instruction;
}

#ifdef __cplusplus
}
#endif

#endif
