/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Other names for what is in vdbe.c beside the loop, and is in SQLite already. The list is made by
 * build.sh.
 */
#ifndef SSARTOR_NAMES_H
#define SSARTOR_NAMES_H

#if defined(SSARTOR_STEP)
#define SSARTOR_NAME(name) ssartor_step_##name
#else
#define SSARTOR_NAME(name) ssartor_variant_##name
#endif
#include "ssartor_others.h"

#endif
