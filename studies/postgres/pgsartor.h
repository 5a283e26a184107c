/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** What the files of the provider share. */
#ifndef PGSARTOR_H
#define PGSARTOR_H

#include "postgres.h"

#include "executor/execExpr.h"

#include "pgsartor_shape.h"

/** Describes an expression that is not ready yet. Returns why it can have no variant, or null. */
const char *pgsartor_describe(const ExprState *state, PgsartorShape *shape);

enum pgsartor_status {
  PGSARTOR_COUNTED,
  PGSARTOR_REQUESTED,
  PGSARTOR_MEASURED,
  PGSARTOR_ACTIVE,
  PGSARTOR_EXCLUDED
};

/** A row of the table that all backends share, and that outlives them. */
typedef struct {
  uint64 key; /**< Hash of the shape; 0: free. */
  uint64 evaluations;
  uint64 pairs; /**< Batches that were measured with the variant. */
  double gain;  /**< Time with the interpreter divided by that with the variant; 0: unknown. */
  double low, high;
  double saved; /**< Nanoseconds for each evaluation. */
  int32 status;
  int32 steps;
  char why[160];
} PgsartorRow;

/** The row of a shape; null if the table is full or cannot be opened. */
PgsartorRow *pgsartor_row(uint64 key);

#endif
