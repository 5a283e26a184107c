/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binds handlers to invariant memory; prints the remarks on the first one as JSON. */
#include "request_handlers.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <sartor/c/sartor.h>

static const struct Rule rules[3] = {{1, 0xff, 7}, {2, 0xff, 8}, {3, 0xff, 9}};
static struct Table table = {rules, 3};
static unsigned other;

static void must(sartor_status status) {
  if (status == SARTOR_OK)
    return;
  fprintf(stderr, "%s\n", sartor_last_error());
  exit(1);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  sartor_binding *binding = NULL;
  sartor_invariant *invariant = NULL, *useless = NULL;
  void (*function)(void) = NULL;
  char *json = NULL;
  const sartor_part parts[] = {{&table, sizeof table, (const void *)&table.rules,
                                offsetof(struct Table, count) + sizeof table.count},
                               {rules, sizeof rules, rules, sizeof rules}};
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &table}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_POINTER, {.pointer = &other}}};
  must(sartor_open(&runtime));
  must(sartor_invariant_declare_parts(parts, 2, &invariant));
  must(sartor_invariant_declare(&other, sizeof other, &useless));
  must(sartor_bind(runtime, "forward", arguments, 3, &binding));
  must(sartor_binding_wait_with_report(binding, &json));
  must(sartor_binding_function(binding, &function));
  if (((unsigned (*)(unsigned))function)(2) != 8)
    return 2;
  puts(json);
  sartor_free(json);
  sartor_release(binding);

  must(sartor_bind(runtime, "scaled", arguments, 2, &binding));
  must(sartor_binding_wait(binding));
  must(sartor_binding_function(binding, &function));
  if (((unsigned (*)(unsigned))function)(2) != 20)
    return 3;
  sartor_release(binding);
  must(sartor_invalidate(invariant));
  must(sartor_invalidate(useless));
  sartor_close(runtime);
  return 0;
}
