/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_DEVICE_LAYERS_H
#define SARTOR_TEST_DEVICE_LAYERS_H

#include <stdint.h>

/* A stack of layers, as of a network: objects with tables of functions. */
struct layer;
struct layer_operations {
  int64_t (*pass)(const struct layer *layer, int64_t value);
  int64_t limit;
};
typedef int64_t last_step(int64_t value, int64_t by);
struct layer {
  const struct layer_operations *operations;
  const struct layer *below;
  int64_t by;
  last_step *last;
};

/* No code of the handlers names them; the program points to what is in them. */
extern const struct layer_operations *known_operations[3];
extern last_step *known_steps[2];

extern int64_t overflows;
int64_t passes(const struct layer *top, int64_t value);
int64_t acquires(const struct layer *top, int64_t value);

#endif
