// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A fast path: popular inputs are answered without the call. */
#include "failed.h"
#include "routes.h"

typedef uint32_t (*forward_function)(struct table *, uint32_t);

static struct route routes[] = {{0x0a000000, 0xff000000, 1}, {0, 0, 2}};
static struct table table = {.routes = routes, .count = 2};

int main(void) {
  sartor_runtime *runtime;
  void (*function)(void);
  must(sartor_open(&runtime));
  must(sartor_handler(runtime, "forward_popular", &function));
  const forward_function call = (forward_function)function;

  must(sartor_instrument(runtime, "{\"lookup\": 1}")); /* record the inputs */
  for (uint32_t i = 0; i < 1000; ++i)
    call(&table, i % 8 == 0 ? 0x0b000000 + i : 0x0a000001);
  must(sartor_instrument(runtime, "{}"));

  /* Answer the four most frequent inputs without the call. */
  must(sartor_specialize(runtime, "{\"lookup\": 4}"));
  printf("remembered: %u\n", call(&table, 0x0a000001));

  /* From the first increment on, no remembered result is used. */
  ++table.version;
  routes[0].port = 7;
  ++table.version;
  printf("updated: %u\n", call(&table, 0x0a000001));
  sartor_close(runtime);
  return 0;
}
