/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_VERIFY_INCOMPARABLE_HANDLERS_H
#define SARTOR_TEST_VERIFY_INCOMPARABLE_HANDLERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each has the point of its own name; except for `remembers`, with the settings 1 and 2. */

/* Its calls can be compared. */
long plain(long x, int n);
/* Not comparable, by its code. */
long reads_volatile(long x, int n);
long marked(long x, int n);
/* Makes system calls. */
long asks(long x, int n);
/* Writes `count` numbers. */
void fills(long *to, long count, int n);
/* Gives another result each time. */
long counts(long x, int n);
/* Has a fast path, and changes a variable. */
long remembers(long x);

#ifdef __cplusplus
}
#endif

#endif
