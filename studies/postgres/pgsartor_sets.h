/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Opens Sartor, on a thread of its own: reading the handler takes a tenth of a second, for which
 * no backend waits. */
#ifndef PGSARTOR_SETS_H
#define PGSARTOR_SETS_H

#include <sartor/c/guest_programs.h>

typedef struct {
  sartor_guest_programs *measuring; /**< For shapes of unknown gain. */
  sartor_guest_programs *trusting;  /**< For shapes whose gain is known, or does not matter. */
  const char *why_not;              /**< Null, or why nothing can be specialized. */
} PgsartorSets;

typedef void (*PgsartorReport)(void *owner, enum sartor_guest_state state, const char *text);

/** Begins to open the sets at the first call. Returns null until they are open, unless `waits`:
 * then this call and requests wait. `compiler` is where code is compiled. */
const PgsartorSets *pgsartor_sets(const char *compiler, int waits, PgsartorReport report);

#endif
