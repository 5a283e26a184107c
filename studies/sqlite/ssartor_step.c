/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The interpreter compiled again for variants: it executes one instruction for them, or
 * continues after one has left. */
#define SSARTOR_STEP
#include "ssartor_names.h"
#include "ssartor_program.h"

/* The progress callback must not be called in the middle of a call. */
#define SQLITE_OMIT_PROGRESS_CALLBACK
#define sqlite3VdbeExec(p) sqlite3SsartorStep(p, int most)

#include "vdbe.c"
