/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several pieces of memory in one promise, and what is told of promises and facts. */
#include <sartor/sartor.h>

#include <string.h>

#include "check.h"
#include "handlers/c_file.h"

static struct CFile file = {0, 5};
static int other;

/* A fact is told of by its name, and a promise that changes nothing is. */
static void tells_what_folded(sartor_runtime *runtime) {
  sartor_fact *fact = NULL;
  sartor_binding *binding = NULL;
  sartor_invariant *useless = NULL;
  char *json = NULL;
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  REQUIRE(sartor_make_fact("exclusive", NULL, &fact) == SARTOR_OK);
  REQUIRE(sartor_fact_part(fact, &file, sizeof file, &file.shared, sizeof file.shared) ==
          SARTOR_OK);
  REQUIRE(sartor_wait_for_fact(fact, 60) == 1);
  REQUIRE(sartor_bind(runtime, "read_c_file", arguments, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_wait_and_tell(binding, &json) == SARTOR_OK);
  CHECK(sartor_binding_ready(binding) && !sartor_binding_ready(NULL));
  CHECK(strstr(json, "\"fact\":\"exclusive\",\"loads\":1,\"leant_on\":true"));
  CHECK(strstr(json, "\"remarks\":[") && !strstr(json, "unused"));
  sartor_free(json);
  sartor_release(binding);
  sartor_drop_fact(fact);

  REQUIRE(sartor_promise_part(&file, sizeof file, &other, sizeof other, &useless) != SARTOR_OK);
  REQUIRE(sartor_promise(&other, sizeof other, &useless) == SARTOR_OK);
  const sartor_argument both[] = {
      {SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
      {SARTOR_ARGUMENT_INTEGER, {.integer = (long long)(size_t)&other}}};
  REQUIRE(sartor_bind(runtime, "read_c_file", both, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_wait_and_tell(binding, &json) == SARTOR_OK);
  CHECK(strstr(json, "is within reach, and nothing of its memory became part of the code"));
  CHECK(strstr(json, "\"leant_on\":false"));
  sartor_free(json);
  CHECK(sartor_binding_wait_and_tell(NULL, &json) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_binding_wait_and_tell(binding, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_release(binding);
  CHECK(sartor_invalidate(useless) == SARTOR_OK);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  sartor_invariant *promise = NULL;
  sartor_binding *binding = NULL;
  sartor_fact *fact = NULL;
  void (*function)(void) = NULL;
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);

  sartor_part parts[] = {{&file, sizeof file, &file.shared, sizeof file.shared},
                         {&other, sizeof other, &other, sizeof other},
                         {&file, sizeof file, &file + 1, 4}}; /* not within it */
  CHECK(sartor_promise_parts(parts, 3, &promise) == SARTOR_ERROR_BAD_INVARIANT && !promise);
  CHECK(sartor_promise_parts(parts, 0, &promise) == SARTOR_ERROR_BAD_INVARIANT && !promise);
  CHECK(sartor_promise_parts(NULL, 1, &promise) == SARTOR_ERROR_BAD_ARGUMENT && !promise);
  REQUIRE(sartor_promise_parts(parts, 2, &promise) == SARTOR_OK);
  CHECK(sartor_holds(promise) == 1 && sartor_promise_number(promise) > 0);
  CHECK(sartor_holds(NULL) == 0 && sartor_promise_number(NULL) == 0);

  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  REQUIRE(sartor_bind(runtime, "read_c_file", arguments, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_wait(binding) == SARTOR_OK);
  REQUIRE(sartor_binding_function(binding, &function) == SARTOR_OK);
  unsigned long (*const read)(unsigned long) = (unsigned long (*)(unsigned long))function;
  file.shared = 6; /* against the promise: it is folded */
  CHECK(read(1) == 5);
  CHECK(sartor_invalidate_later(promise) == SARTOR_OK);
  CHECK(sartor_holds(promise) == 0);
  CHECK(read(1) == 6);
  sartor_release(binding);
  CHECK(sartor_invalidate(promise) == SARTOR_OK);

  REQUIRE(sartor_make_fact("a name", NULL, &fact) == SARTOR_OK);
  CHECK(strcmp(sartor_fact_name(fact), "a name") == 0 && !sartor_fact_name(NULL));
  sartor_drop_fact(fact);
  tells_what_folded(runtime);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
