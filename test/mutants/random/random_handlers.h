/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_MUTANTS_RANDOM_RANDOM_HANDLERS_H
#define SARTOR_TEST_MUTANTS_RANDOM_RANDOM_HANDLERS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Memory that does not change; bound to each handler. */
struct Weights {
  int scale;
  int limit;
  int weights[8];
};

#define RANDOM_OUT_BYTES 32

/** The native code of a handler. `out` has RANDOM_OUT_BYTES bytes. */
typedef long RandomFunction(const struct Weights *table, char *out, long a, long b);

/** A handler with a point NAME.mode. */
struct RandomHandler {
  const char *name; /**< Null ends the list. */
  RandomFunction *native;
};
extern const struct RandomHandler random_handlers[];

/** A function that the compiler does not see. */
long random_handlers_outside(long one, long other);

#ifdef __cplusplus
}
#endif

#endif
