// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_HANDLERS_CUSTOM_H
#define SARTOR_TEST_HANDLERS_CUSTOM_H

#ifdef __cplusplus
extern "C" {
#endif

/** table[i % 4], times two; table is custom_table. */
unsigned custom_lookup(unsigned i);
/** a - b, twice over: a custom point with two arguments. */
int custom_difference(int a, int b);
/** No custom points. */
unsigned custom_plain(unsigned x);

extern unsigned custom_table[4];
extern int custom_calls; /**< How often the generic function of custom_difference() has run. */

#ifdef __cplusplus
}
#endif

#endif
