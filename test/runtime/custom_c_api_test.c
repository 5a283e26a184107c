/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Generators written in C. */
#include <sartor/c/generator.h>

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "handlers/custom.h"

/* a == 0: the sum of 1..b by a loop; a == 7: squares[b]; otherwise the generic code. */
static int many_ways(const sartor_generator_input *point, sartor_generated_code *code, void *user) {
  CHECK(user == &failures);
  CHECK(strcmp(point->label, "difference") == 0);
  CHECK(strcmp(point->kind, "arithmetic") == 0);
  CHECK(strcmp(point->handler, "custom_difference") == 0);
  CHECK(strcmp(point->setting, "12") == 0 && point->setting_number == 12);
  CHECK(strcmp(point->result, "i32") == 0);
  CHECK(point->argument_count == 2 && strstr(point->arguments[1], "32"));
  sartor_generate(code, SARTOR_LANGUAGE_C,
                  "int sartor_generic(int, int);\n"
                  "int specialized(int a, int b) {\n"
                  "  static const int squares[] = {0, 1, 4, 9};\n"
                  "  if (a == 7) return squares[b];\n"
                  "  if (a != 0) return sartor_generic(a, b);\n"
                  "  for (; b > 0; --b) a += b;\n"
                  "  return a;\n"
                  "}\n",
                  NULL, NULL);
  return 0;
}

static int with_flags(const sartor_generator_input *point, sartor_generated_code *code,
                      void *user) {
  const char *flags[] = {"-DFACTOR=3", NULL};
  (void)point;
  (void)user;
  sartor_generate(code, SARTOR_LANGUAGE_C, "int f(int a, int b) { return FACTOR * (a + b); }", "f",
                  flags);
  return 0;
}

static int no_code(const sartor_generator_input *point, sartor_generated_code *code, void *user) {
  (void)point;
  (void)code;
  (void)user;
  return 0;
}

static int refuses(const sartor_generator_input *point, sartor_generated_code *code, void *user) {
  (void)point;
  (void)code;
  (void)user;
  return 5;
}

static int refuses_with_reason(const sartor_generator_input *point, sartor_generated_code *code,
                               void *user) {
  (void)point;
  (void)user;
  sartor_generated_fail(code, "out of routes");
  return 5;
}

static void expect_failure(sartor_runtime *runtime, sartor_generator generator, const char *text) {
  CHECK(sartor_add_custom(runtime, "arithmetic", generator, NULL) == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"difference\": 12}") == SARTOR_ERROR_BAD_GENERATOR);
  CHECK(strstr(sartor_last_error(), "\"difference\"") && strstr(sartor_last_error(), text));
}

int main(void) {
  sartor_runtime *runtime = NULL;
  void (*function)(void) = NULL;
  CHECK(sartor_open(&runtime) == SARTOR_OK);
  CHECK(sartor_handler(runtime, "custom_difference", &function) == SARTOR_OK);
  int (*difference)(int, int) = (int (*)(int, int))function;

  CHECK(sartor_specialize(runtime, "{\"difference\": 12}") != SARTOR_OK);
  CHECK(strstr(sartor_last_error(), "unknown_custom_kind") != NULL);
  CHECK(sartor_add_custom(runtime, "arithmetic", many_ways, &failures) == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"difference\": 12}") == SARTOR_OK);
  CHECK(difference(0, 10) == 2 * 55);
  CHECK(difference(7, 3) == 2 * 9);
  CHECK(difference(20, 6) == 2 * 14);

  CHECK(sartor_add_custom(runtime, "arithmetic", with_flags, NULL) == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"difference\": 12}") == SARTOR_OK);
  CHECK(difference(1, 2) == 2 * 9);

  expect_failure(runtime, no_code, "no text");
  expect_failure(runtime, refuses, "returned 5");
  expect_failure(runtime, refuses_with_reason, "out of routes");
  CHECK(difference(1, 2) == 2 * 9);
  CHECK(sartor_add_custom(runtime, "arithmetic", NULL, NULL) != SARTOR_OK);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
