/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Handlers that call through invariant memory, for `sartor device --native`. Only variables that
 * they do not use name the functions and tables that the memory points to. */
#include "layers.h"

#include <stddef.h>

#include <sartor/points.h>

int64_t overflows;
static int64_t passed;

/* It is defined nowhere: optimized code does not call it. */
void size_is_wrong(void);
static inline void check_size(size_t size) {
  if (size > 64)
    size_is_wrong();
}

static __attribute__((noinline, cold)) int64_t overflow(const struct layer *layer, int64_t value) {
  overflows += layer->by;
  return value % layer->operations->limit;
}

static inline int64_t pass_on(const struct layer *layer, int64_t value) {
  check_size(sizeof *layer);
  if (__builtin_expect(value > layer->operations->limit, 0))
    value = overflow(layer, value);
  if (layer->below)
    return layer->below->operations->pass(layer->below, value);
  ++passed;
  return layer->last ? layer->last(value, passed) : value;
}

static int64_t scale(const struct layer *layer, int64_t value) {
  return pass_on(layer, (int64_t)((uint64_t)value * (uint64_t)layer->by));
}
static int64_t shift(const struct layer *layer, int64_t value) {
  return pass_on(layer, (int64_t)((uint64_t)value + (uint64_t)layer->by));
}
static int64_t mix(const struct layer *layer, int64_t value) {
  for (int64_t i = 0; i < layer->by; ++i)
    value = (int64_t)((uint64_t)value * 3 + (uint64_t)i);
  return pass_on(layer, value);
}
static int64_t add(int64_t value, int64_t by) { return (int64_t)((uint64_t)value + (uint64_t)by); }
static int64_t toggle(int64_t value, int64_t by) { return value ^ (by & 1); }

static const struct layer_operations scaling = {scale, 100000};
static const struct layer_operations shifting = {shift, 5000000};
static const struct layer_operations mixing = {mix, 70000};
const struct layer_operations *known_operations[3] = {&scaling, &shifting, &mixing};
last_step *known_steps[2] = {add, toggle};

SARTOR_HANDLER int64_t passes(const struct layer *top, int64_t value) {
  return top->operations->pass(top, value);
}

SARTOR_HANDLER int64_t acquires(const struct layer *top, int64_t value) {
  return value + __atomic_load_n(&top->by, __ATOMIC_ACQUIRE) + top->operations->limit;
}
