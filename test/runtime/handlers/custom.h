// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_HANDLERS_CUSTOM_H
#define SARTOR_TEST_HANDLERS_CUSTOM_H

#ifdef __cplusplus
extern "C" {
#endif

/** Twice table[i % 4]; table is custom_table. */
unsigned custom_lookup(unsigned i);
/** Twice a - b: a custom point with two arguments. */
int custom_difference(int a, int b);
/** Has no custom points. */
unsigned custom_plain(unsigned x);
/** table[i % 4], times custom_factor. */
unsigned custom_scaled(unsigned i);

extern unsigned custom_table[4];
extern unsigned custom_factor;
extern int custom_calls; /**< Number of calls of the generic function of custom_difference(). */

#ifdef __cplusplus
}
#endif

#endif
