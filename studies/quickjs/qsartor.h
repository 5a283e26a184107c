/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Hot JavaScript functions run in variants of the interpreter's loop, each specialized to one
 * function's bytecode. This header declares what quickjs.c needs of qsartor.c. See README.md. */
#ifndef QSARTOR_H
#define QSARTOR_H

#include <sartor/guest_program.h>
#include <stddef.h>

#include "quickjs.h"

struct JSFunctionBytecode;
struct JSObject;

/** Runs a function: its object, `this`, arguments, flags of the call, `new.target`. */
typedef JSValue qsartor_Run(JSContext *ctx, struct JSObject *function, const JSValueConst *this_obj,
                            int argc, JSValueConst *argv, int flags,
                            const JSValueConst *new_target);

/* State of a function, in its bytecode object. */
#define QSARTOR_FIELDS                                                                             \
  int heat;         /* number of calls until the function is hot */                                \
  qsartor_Run *run; /* the variant, or null */                                                     \
  sartor_guest_program hot;

typedef struct {
  const void *memory;
  size_t bytes;
} qsartor_Part;

/** The number of calls until a function is hot. */
extern int qsartor_heat;
/** Requests a variant of a hot function, or finds whether it is ready. `parts` are the memory in
 * the bytecode object, of `bytes`, that does not change. Sets `heat` to the number of calls after
 * which it is called again, negative if never. Returns the variant or null. */
qsartor_Run *qsartor_find(sartor_guest_program *hot, struct JSFunctionBytecode *function,
                          size_t bytes, const qsartor_Part *parts, int count, int *heat);
/** Releases the variant. Must be called before the memory of the function is freed. */
void qsartor_free(sartor_guest_program *hot);

#endif
