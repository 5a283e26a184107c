/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions of a program that an out-of-process compiler may have called while it makes a variant:
 * those marked SARTOR_FOLD. The tables are made at build time, by the compiler plugin or by `sartor
 * device`; the program checks each such call against them. Immutable.
 */
#ifndef SARTOR_FOLDABLE_H
#define SARTOR_FOLDABLE_H

#include <stdint.h>

/** Types of arguments and results. Narrow integers are extended as in the declaration. */
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

/** Memory that a function reads behind a pointer argument: `bytes` bytes, multiplied by the value
 *  of the argument with the index `count`. */
struct sartor_extent {
  uint64_t bytes;
  uint64_t count; /**< An index, SARTOR_ONCE or SARTOR_OFFERED. */
};
/** The bytes are not repeated. */
#define SARTOR_ONCE UINT64_MAX
/** The bytes are not repeated, and further reads depend on their content. So the pointer must be
 *  one that the program has: to the beginning of invariant memory, bound to an argument, or
 *  stored in invariant memory. */
#define SARTOR_OFFERED (UINT64_MAX - 1)

struct sartor_foldable {
  const char *name;
  void *function;             /**< Null if the program does not have it. */
  const unsigned char *types; /**< Of the result, then of each parameter: enum sartor_scalar. */
  uint64_t parameters;
  /** One for each parameter; ignored for parameters that are not pointers. Null if numbers among
   *  the arguments decide how much the function reads (see SARTOR_FOLD_READS): it is not called. */
  const struct sartor_extent *extents;
};

#endif
