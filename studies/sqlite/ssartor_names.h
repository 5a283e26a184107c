/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Renames the functions of vdbe.c outside of the loop, which SQLite already contains. build.sh
 * generates the list. */
#ifndef SSARTOR_NAMES_H
#define SSARTOR_NAMES_H

#if defined(SSARTOR_STEP)
#define SSARTOR_NAME(name) ssartor_step_##name
#else
#define SSARTOR_NAME(name) ssartor_variant_##name
#endif
#include "ssartor_others.h"

#endif
