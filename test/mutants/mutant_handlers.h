/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_MUTANTS_MUTANT_HANDLERS_H
#define SARTOR_TEST_MUTANTS_MUTANT_HANDLERS_H

#ifdef __cplusplus
extern "C" {
#endif

struct Table {
  int scale;
  int limit;
  char *out; /* 128 bytes */
};

long numbers(const struct Table *table, long a, long b);
long control(const struct Table *table, long a, long b);
long memory(const struct Table *table, long a, long b);
long floats(const struct Table *table, long a, long b);
long lanes(const struct Table *table, long a, long b);
long guarded(const struct Table *table, long a, long b);
long choice(const struct Table *table, long a, long b);
long keeps(const struct Table *table, long a, long b);
long opens(const struct Table *table, long a, long b);

#ifdef __cplusplus
}
#endif

#endif
