/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The interpreter's loop as a handler: vdbe.c once more, with other macros, and with opcodes.h as
 * build.sh has made it: instructions that are not in opcodes.kept are no cases of the switch.
 */
#define SSARTOR_VARIANT
#include <sartor/points.h>

#include "ssartor_names.h"
#include "ssartor_program.h"

#include "btreeInt.h"

SARTOR_HANDLER int sqlite3SsartorRun(Vdbe *p, int start, const SsartorProgram *own);

/* Variants do not begin where somebody wants to see the count of steps. */
#define SQLITE_OMIT_PROGRESS_CALLBACK
#define sqlite3VdbeExec(p) sqlite3SsartorRun(p, int start, const SsartorProgram *own)

#include "vdbe.c"

#include "ssartor_key.h"
