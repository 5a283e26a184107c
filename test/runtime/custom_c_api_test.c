/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Generators written in C. */
#include <sartor/c/builder.h>

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "handlers/custom.h"

static int twice(int x) { return 2 * x; }

/* a == 0: the sum of 1..b by a loop; a == 7: squares[b]; a == 8: twice(b); otherwise the generic
 * code. */
static int many_ways(sartor_builder *b, void *user) {
  const int32_t squares[] = {0, 1, 4, 9};
  int64_t setting = 0;
  uint64_t known = 0;
  CHECK(user == &failures);
  CHECK(strcmp(sartor_builder_label(b), "difference") == 0);
  CHECK(sartor_builder_setting(b, &setting) == 0 && setting == 12);
  CHECK(sartor_builder_argument_count(b) == 2);
  CHECK(sartor_builder_argument_value(b, 0, &known) != 0);

  const sartor_operand a = sartor_builder_argument(b, 0);
  const sartor_operand n = sartor_builder_argument(b, 1);
  const sartor_operand zero = sartor_builder_constant(b, SARTOR_I32, 0);
  const sartor_operand one = sartor_builder_constant(b, SARTOR_I32, 1);
  const int64_t values[] = {7, 8};
  const sartor_block blocks[] = {sartor_builder_block(b), sartor_builder_block(b)};
  const sartor_block other = sartor_builder_block(b), sum = sartor_builder_block(b);
  const sartor_block generic = sartor_builder_block(b), more = sartor_builder_block(b);
  const sartor_block end = sartor_builder_block(b);

  sartor_builder_switch(b, a, 2, values, blocks, other);

  sartor_builder_enter(b, blocks[0]);
  sartor_builder_result(
      b, sartor_builder_load(b, SARTOR_I32, sartor_builder_table(b, SARTOR_I32, squares, 4), n));
  sartor_builder_enter(b, blocks[1]);
  sartor_builder_result(
      b, sartor_builder_call(b, sartor_builder_address(b, (const void *)(size_t)&twice), SARTOR_I32,
                             1, &n));

  sartor_builder_enter(b, other);
  const sartor_variable total = sartor_builder_variable(b, zero);
  const sartor_variable left = sartor_builder_variable(b, n);
  sartor_builder_branch(b, sartor_builder_compare(b, SARTOR_EQUAL, a, zero), sum, generic);
  sartor_builder_enter(b, generic);
  sartor_builder_result(b, sartor_builder_generic(b));
  sartor_builder_enter(b, sum);
  sartor_builder_branch(
      b, sartor_builder_compare(b, SARTOR_SIGNED_GREATER, sartor_builder_get(b, left), zero), more,
      end);
  sartor_builder_enter(b, more);
  sartor_builder_set(b, total,
                     sartor_builder_binary(b, SARTOR_ADD, sartor_builder_get(b, total),
                                           sartor_builder_get(b, left)));
  sartor_builder_set(b, left,
                     sartor_builder_binary(b, SARTOR_SUBTRACT, sartor_builder_get(b, left), one));
  sartor_builder_jump(b, sum);
  sartor_builder_enter(b, end);
  sartor_builder_result(b, sartor_builder_get(b, total));
  return 0;
}

static int from_source(sartor_builder *b, void *user) {
  const char *flags[] = {"-DFACTOR=3", NULL};
  (void)user;
  sartor_builder_result(
      b, sartor_builder_source(b, "int f(int a, int b) { return FACTOR * (a + b); }", "f", flags));
  return 0;
}

static int misuses(sartor_builder *b, void *user) {
  (void)user;
  CHECK(sartor_builder_binary(b, SARTOR_ADD, 99, 0) == 0);
  CHECK(sartor_builder_argument(b, 0) == 0); /* no call has an effect any more */
  return 0;
}

static int refuses(sartor_builder *b, void *user) {
  (void)b;
  (void)user;
  return 5;
}

static int refuses_and_says_why(sartor_builder *b, void *user) {
  (void)user;
  sartor_builder_fail(b, "out of routes");
  return 5;
}

static void expect_failure(sartor_runtime *runtime, sartor_generator generator, const char *text) {
  CHECK(sartor_add_custom(runtime, "arithmetic", generator, NULL) == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"difference\": 12}") != SARTOR_OK);
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
  CHECK(difference(8, 21) == 2 * 42);
  CHECK(difference(20, 6) == 2 * 14);

  CHECK(sartor_add_custom(runtime, "arithmetic", from_source, NULL) == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"difference\": 12}") == SARTOR_OK);
  CHECK(difference(1, 2) == 2 * 9);

  expect_failure(runtime, misuses, "this builder has not given");
  expect_failure(runtime, refuses, "returned 5");
  expect_failure(runtime, refuses_and_says_why, "out of routes");
  CHECK(difference(1, 2) == 2 * 9);
  CHECK(sartor_add_custom(runtime, "arithmetic", NULL, NULL) != SARTOR_OK);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
