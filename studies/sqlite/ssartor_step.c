/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The interpreter once more, for variants: it does one instruction for them, or goes on where one
 * has left.
 */
#define SSARTOR_STEP
#include "ssartor_names.h"
#include "ssartor_program.h"

/* Who looks at the count of steps is not called from the middle of a call. */
#define SQLITE_OMIT_PROGRESS_CALLBACK
#define sqlite3VdbeExec(p) sqlite3SsartorStep(p, int most)

#include "vdbe.c"
