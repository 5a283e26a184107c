// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* An invariant of several pieces of memory. */
#include "failed.h"
#include "routes.h"

typedef uint32_t (*forward_function)(uint32_t);

static struct route routes[] = {{0x0a000000, 0xff000000, 1}, {0xc0a80000, 0xffff0000, 2}};
static struct table table = {.routes = routes, .count = 2};

/* Declares the routes, their address and their number; not the count of lookups, which changes. */
static sartor_invariant *declare_routes(void) {
  sartor_invariant *invariant;
  const sartor_part parts[] = {
      {&table, sizeof table, &table.routes, sizeof table.routes},
      {&table, sizeof table, &table.count, sizeof table.count},
      {routes, sizeof routes, routes, sizeof routes},
  };
  must(sartor_invariant_declare_parts(parts, 3, &invariant));
  return invariant;
}

int main(void) {
  sartor_runtime *runtime;
  sartor_binding *binding;
  void (*function)(void);
  char *reported;
  double replugs;
  must(sartor_open(&runtime));
  sartor_invariant *invariant = declare_routes();

  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &table}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  must(sartor_bind(runtime, "forward", arguments, 2, &binding));
  must(sartor_binding_wait(binding));
  must(sartor_binding_function(binding, &function));
  const forward_function forward_here = (forward_function)function;
  printf("folded: %u %u\n", forward_here(0x0a010203), forward_here(0xc0a80001));

  must(sartor_invalidate(invariant)); /* returns when no thread runs code with the old routes */
  routes[1].port = 3;
  printf("changed: %u %u\n", forward_here(0x0a010203), forward_here(0xc0a80001));

  invariant = declare_routes();
  must(sartor_statistics(runtime, &reported));
  must(sartor_json_number(reported, "/replugs", &replugs));
  printf("%u lookups, %g variant deactivated\n", (unsigned)table.lookups, replugs);
  sartor_free(reported);
  sartor_release(binding);
  must(sartor_invalidate(invariant));
  sartor_close(runtime);
  return 0;
}
