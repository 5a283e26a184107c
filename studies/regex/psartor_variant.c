/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The handler: pcre2_match.c compiled again. The data that pcre2_match.c passes between
 * functions in a frame and in the match block is in local variables here (psartor_frame.h). */
#define PSARTOR_VARIANT
#define PSARTOR_LEFT (-1000) /* not a result of match() */

#include "pcre2_match.c"
