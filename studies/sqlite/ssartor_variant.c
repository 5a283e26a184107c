/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The interpreter's loop as a handler: vdbe.c compiled again with other macros, and with the
 * opcodes.h that build.sh generates: instructions that are not in opcodes.kept have no case in
 * the switch. */
#define SSARTOR_VARIANT
#include <sartor/points.h>

#include "ssartor_names.h"
#include "ssartor_program.h"

#include "btreeInt.h"

SARTOR_HANDLER int sqlite3SsartorRun(Vdbe *p, int start, const SsartorProgram *own);

/* No variant is entered while a progress callback is set. */
#define SQLITE_OMIT_PROGRESS_CALLBACK
#define sqlite3VdbeExec(p) sqlite3SsartorRun(p, int start, const SsartorProgram *own)

#include "vdbe.c"

#include "ssartor_key.h"
