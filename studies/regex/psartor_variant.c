/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The handler: pcre2_match.c once more. What that has in a frame and in the match block, which it
 * hands from function to function, this has in local variables (psartor_frame.h).
 */
#define PSARTOR_VARIANT
#define PSARTOR_LEFT (-1000) /* no result of match() */

#include "pcre2_match.c"
