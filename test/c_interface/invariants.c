/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several pieces of memory in one invariant, and the reports on invariants and quasi-invariants. */
#include <sartor/c/sartor.h>

#include <string.h>

#include "check.h"
#include "handlers/c_file.h"

static struct CFile file = {0, 5};
static int other;

/* A quasi-invariant is reported by its name; an invariant that changes nothing is also reported. */
static void reports_what_folded(sartor_runtime *runtime) {
  sartor_quasi_invariant *quasi_invariant = NULL;
  sartor_binding *binding = NULL;
  sartor_invariant *useless = NULL;
  char *json = NULL;
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  REQUIRE(sartor_quasi_invariant_make("exclusive", NULL, &quasi_invariant) == SARTOR_OK);
  REQUIRE(sartor_quasi_invariant_add_part(quasi_invariant, &file, sizeof file, &file.shared,
                                          sizeof file.shared) == SARTOR_OK);
  REQUIRE(sartor_quasi_invariant_wait(quasi_invariant, 60) == 1);
  REQUIRE(sartor_bind(runtime, "read_c_file", arguments, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_wait_with_report(binding, &json) == SARTOR_OK);
  CHECK(sartor_binding_ready(binding) && !sartor_binding_ready(NULL));
  CHECK(strstr(json, "\"quasi_invariant\":\"exclusive\",\"loads\":1,\"depended_on\":true"));
  CHECK(strstr(json, "\"remarks\":[") && !strstr(json, "unused"));
  sartor_free(json);
  sartor_release(binding);
  sartor_quasi_invariant_free(quasi_invariant);

  REQUIRE(sartor_invariant_add_part(&file, sizeof file, &other, sizeof other, &useless) !=
          SARTOR_OK);
  REQUIRE(sartor_invariant_declare(&other, sizeof other, &useless) == SARTOR_OK);
  const sartor_argument both[] = {
      {SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
      {SARTOR_ARGUMENT_INTEGER, {.integer = (long long)(size_t)&other}}};
  REQUIRE(sartor_bind(runtime, "read_c_file", both, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_wait_with_report(binding, &json) == SARTOR_OK);
  CHECK(strstr(json, "is within reach, and nothing of its memory became part of the code"));
  CHECK(strstr(json, "\"depended_on\":false"));
  sartor_free(json);
  CHECK(sartor_binding_wait_with_report(NULL, &json) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_binding_wait_with_report(binding, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_release(binding);
  CHECK(sartor_invalidate(useless) == SARTOR_OK);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  sartor_invariant *invariant = NULL;
  sartor_binding *binding = NULL;
  sartor_quasi_invariant *quasi_invariant = NULL;
  void (*function)(void) = NULL;
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);

  sartor_part parts[] = {{&file, sizeof file, &file.shared, sizeof file.shared},
                         {&other, sizeof other, &other, sizeof other},
                         {&file, sizeof file, &file + 1, 4}}; /* not within the memory */
  CHECK(sartor_invariant_declare_parts(parts, 3, &invariant) == SARTOR_ERROR_BAD_INVARIANT &&
        !invariant);
  CHECK(sartor_invariant_declare_parts(parts, 0, &invariant) == SARTOR_ERROR_BAD_INVARIANT &&
        !invariant);
  CHECK(sartor_invariant_declare_parts(NULL, 1, &invariant) == SARTOR_ERROR_BAD_ARGUMENT &&
        !invariant);
  REQUIRE(sartor_invariant_declare_parts(parts, 2, &invariant) == SARTOR_OK);
  CHECK(sartor_invariant_valid(invariant) == 1 && sartor_invariant_number(invariant) > 0);
  CHECK(sartor_invariant_valid(NULL) == 0 && sartor_invariant_number(NULL) == 0);

  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  REQUIRE(sartor_bind(runtime, "read_c_file", arguments, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_wait(binding) == SARTOR_OK);
  REQUIRE(sartor_binding_function(binding, &function) == SARTOR_OK);
  unsigned long (*const read)(unsigned long) = (unsigned long (*)(unsigned long))function;
  file.shared = 6; /* violates the invariant: the old value has been folded */
  CHECK(read(1) == 5);
  CHECK(sartor_invalidate_later(invariant) == SARTOR_OK);
  CHECK(sartor_invariant_valid(invariant) == 0);
  CHECK(read(1) == 6);
  sartor_release(binding);
  CHECK(sartor_invalidate(invariant) == SARTOR_OK);

  REQUIRE(sartor_quasi_invariant_make("a name", NULL, &quasi_invariant) == SARTOR_OK);
  CHECK(strcmp(sartor_quasi_invariant_name(quasi_invariant), "a name") == 0 &&
        !sartor_quasi_invariant_name(NULL));
  sartor_quasi_invariant_free(quasi_invariant);
  reports_what_folded(runtime);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
