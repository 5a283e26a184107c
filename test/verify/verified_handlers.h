/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_VERIFY_VERIFIED_HANDLERS_H
#define SARTOR_TEST_VERIFY_VERIFIED_HANDLERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reads memory, has no effect but the result. */
long weigh(const int *table, int n, int scale);
/* Writes to memory behind its parameters. */
void blend(const double *from, double *to, int n, int steps);
/* Writes to aligned memory behind two parameters. */
typedef int four __attribute__((vector_size(16)));
void tag(unsigned char *tags, four *out, int n, int by);
/* Changes a variable. */
int advance(int by, int scale);
extern int position[4];
/* Has a result that depends on the time. */
long stamp(int scale);

#ifdef __cplusplus
}
#endif

#endif
