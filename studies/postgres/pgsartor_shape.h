/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** A shape: all that a variant knows of an expression. It contains no address, so expressions of
 * equal shape share a variant, in all backends and after a restart. A changed type or function
 * gives another shape. Pointers, constants and other data are read from the expression itself. */
#ifndef PGSARTOR_SHAPE_H
#define PGSARTOR_SHAPE_H

#include <stdint.h>

enum { PGSARTOR_STEPS = 96, PGSARTOR_ATTRIBUTES = 24 };

/** Location of a step's result. */
enum pgsartor_result {
  PGSARTOR_ELSEWHERE,          /**< Where the step's pointers lead. */
  PGSARTOR_STATE,              /**< The result of the expression. */
  PGSARTOR_FUNCTION_ARGUMENT,  /**< An argument of the function that a later step calls. */
  PGSARTOR_TRANSITION_ARGUMENT /**< An argument of a later step's transition function. */
};

/** Kinds of slots with a known layout. */
enum pgsartor_slot { PGSARTOR_ANY_SLOT, PGSARTOR_HEAP_SLOT, PGSARTOR_MINIMAL_SLOT };

typedef struct {
  uint8_t opcode;
  uint8_t function; /**< Code of a function that is inlined; 0: called. */
  uint8_t result;
  uint8_t argument;    /**< Which argument the result is. */
  int16_t result_step; /**< The step that has this argument. */
  int16_t jump_or_number;
  int16_t second;
} PgsartorStep;

typedef struct {
  int16_t length;
  char alignment;
  uint8_t by_value;
} PgsartorAttribute;

typedef struct {
  PgsartorStep steps[PGSARTOR_STEPS];
  PgsartorAttribute attributes[3][PGSARTOR_ATTRIBUTES]; /**< Of inner, outer and scan slot. */
} PgsartorShape;

#endif
