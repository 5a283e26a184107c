/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions of a program that a compiler outside of the process may have called while it makes a
 * variant: those marked SARTOR_FOLD. The tables are made at build time, by the compiler plugin or
 * by `sartor device`, and are what the program compares each such call with. Immutable.
 */
#ifndef SARTOR_FOLDABLE_H
#define SARTOR_FOLDABLE_H

#include <stdint.h>

/** Types of arguments and results. Narrow integers are extended as the declaration says. */
enum sartor_scalar {
  SARTOR_SCALAR_U8,
  SARTOR_SCALAR_S8,
  SARTOR_SCALAR_U16,
  SARTOR_SCALAR_S16,
  SARTOR_SCALAR_U32,
  SARTOR_SCALAR_S32,
  SARTOR_SCALAR_U64,
  SARTOR_SCALAR_POINTER,
  SARTOR_SCALAR_F32,
  SARTOR_SCALAR_F64
};

/** What a function reads behind a pointer argument: `bytes` bytes, or as often as the argument with
 * the index `count` says. */
struct sartor_extent {
  uint64_t bytes;
  uint64_t count; /**< An index, SARTOR_ONCE or SARTOR_OFFERED. */
};
/** The bytes are not repeated. */
#define SARTOR_ONCE UINT64_MAX
/** Likewise, and what else is read depends on what is there. So the pointer has to be one that the
 * program has: to the beginning of invariant memory, bound to an argument, or stored in invariant
 * memory. */
#define SARTOR_OFFERED (UINT64_MAX - 1)

struct sartor_foldable {
  const char *name;
  void *function;             /**< Null where the program does not have it. */
  const unsigned char *types; /**< The result's, then each parameter's: enum sartor_scalar. */
  uint64_t parameters;
  /** For each parameter; those of parameters that are no pointers mean nothing. Null where numbers
   * that the function is given decide what it reads (see SARTOR_FOLD_READS): it is not called. */
  const struct sartor_extent *extents;
};

#endif
