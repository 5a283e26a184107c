/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Interface between a program of the differential tests and its driver. Programs are C or C++;
 * the same sources are compiled twice: as plain code, without points, and as handlers.
 */
#ifndef SARTOR_TEST_DIFFERENTIAL_PROGRAM_H
#define SARTOR_TEST_DIFFERENTIAL_PROGRAM_H

#include <stddef.h>

#include <sartor/points.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A handler, and the pointer through which the program calls it. The pointer holds the handler
 *  itself at first, and its entry once there is a runtime. */
struct ProgramHandler {
  const char *name; /**< The name, as Runtime::handler() takes it. Null ends the list. */
  void **called;
};

/** An argument that is sometimes bound: a program that calls the handler with `value` there
 * calls `bound` instead, with the other arguments, if `bound` is not null. */
struct ProgramBinding {
  const char *handler; /**< Null ends the list. */
  unsigned argument;
  long value;
  void *bound;
};

/** Memory that never changes; a runtime may declare it invariant. */
struct ProgramTable {
  const void *begin; /**< Null ends the list. */
  size_t bytes;
};

extern struct ProgramHandler program_handlers[];
extern struct ProgramBinding program_bindings[]; /* may be missing */
extern struct ProgramTable program_tables[];     /* may be missing */
/** Configurations, as JSON, that are tried in addition to random ones. Null ends the list; may
 * be missing.
 */
extern const char *program_configurations[];

/** Runs the program once, from the same state each time; `input` selects the run. Passes
 *  everything observable to observe(), in order. */
void program_run(unsigned input);

/** Defined by the driver. */
void observe(const void *bytes, size_t size);
void observe_number(unsigned long long number);
void observe_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif
