/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Generators in C: their queries, and LLVM's own builder through its C interface. */
#include <sartor/c/builder.h>
#include <sartor/c/explorer.h>

#include <string.h>

#include <llvm-c/Core.h>

#include "check.h"
#include "handlers/custom.h"

static sartor_invariant *invariant;

static int asks(sartor_builder *b, void *user) {
  (void)user;
  CHECK(strcmp(sartor_builder_kind(b), "arithmetic") == 0);
  CHECK(strcmp(sartor_builder_handler(b), "custom_difference") == 0);
  CHECK(strcmp(sartor_builder_setting_text(b), "12") == 0);
  CHECK(sartor_builder_result_type(b) == SARTOR_I32);
  CHECK(sartor_builder_argument_type(b, 1) != SARTOR_VOID);
  CHECK(sartor_builder_argument_type(b, 2) == SARTOR_VOID);
  const sartor_operand number = sartor_builder_hide(b, sartor_builder_argument(b, 0));
  CHECK(sartor_builder_type(b, number) == sartor_builder_argument_type(b, 0));
  CHECK(sartor_builder_type(b, 99) == SARTOR_VOID);
  /* custom_table[1] + a, by the table's name */
  const sartor_operand table = sartor_builder_symbol(b, "custom_table");
  CHECK(sartor_builder_type(b, table) == SARTOR_POINTER);
  const sartor_operand second =
      sartor_builder_load(b, SARTOR_I32, table, sartor_builder_constant(b, SARTOR_I32, 1));
  sartor_builder_depends_on(b, invariant);
  sartor_builder_result(b, sartor_builder_binary(b, SARTOR_ADD, number, second));
  return 0;
}

/* a * b + 1, by LLVM's builder. */
static int by_llvm(sartor_builder *b, void *user) {
  void *function = NULL, *generic = NULL, *ir = NULL;
  (void)user;
  CHECK(sartor_builder_llvm(b, &function, &generic, &ir) == 0);
  CHECK(function && generic && ir);
  CHECK(LLVMCountParams(function) == 2);
  LLVMValueRef product =
      LLVMBuildMul(ir, LLVMGetParam(function, 0),
                   sartor_builder_llvm_value(b, sartor_builder_argument(b, 1)), "");
  const sartor_operand made = sartor_builder_llvm_operand(b, product, SARTOR_I32);
  sartor_builder_result(
      b, sartor_builder_binary(b, SARTOR_ADD, made, sartor_builder_constant(b, SARTOR_I32, 1)));
  return 0;
}

static int misuses(sartor_builder *b, void *user) {
  void *function = b, *generic = b, *ir = b;
  (void)user;
  CHECK(sartor_builder_llvm_operand(b, NULL, SARTOR_I32) == 0);
  CHECK(sartor_builder_llvm(b, &function, &generic, &ir) != 0 && !function && !generic && !ir);
  CHECK(!sartor_builder_llvm_value(b, 1));
  return 0;
}

static int depends_on_nothing(sartor_builder *b, void *user) {
  (void)user;
  sartor_builder_depends_on(b, NULL);
  return 0;
}

static int takes_no_name(sartor_builder *b, void *user) {
  (void)user;
  sartor_builder_result(b, sartor_builder_symbol(b, NULL));
  return 0;
}

int main(void) {
  sartor_runtime *runtime = NULL;
  void (*function)(void) = NULL;
  char *space = NULL;
  const char *set = "{\"difference\":12}";
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  REQUIRE(sartor_handler(runtime, "custom_difference", &function) == SARTOR_OK);
  int (*const difference)(int, int) = (int (*)(int, int))function;
  REQUIRE(sartor_invariant_declare(custom_table, sizeof custom_table, &invariant) == SARTOR_OK);

  CHECK(sartor_add_custom_choices(runtime, "arithmetic", "[12,13]", asks, NULL) == SARTOR_OK);
  CHECK(sartor_search_space(runtime, NULL, &space) == SARTOR_OK);
  CHECK(space && strstr(space, "[12,13]"));
  sartor_free(space);
  REQUIRE(sartor_specialize(runtime, set) == SARTOR_OK);
  CHECK(difference(4, 1) == 2 * (4 + 5));
  CHECK(sartor_invalidate(invariant) == SARTOR_OK); /* the variant goes with it */
  CHECK(difference(4, 1) == 2 * 3);

  CHECK(sartor_add_custom(runtime, "arithmetic", by_llvm, NULL) == SARTOR_OK);
  REQUIRE(sartor_specialize(runtime, set) == SARTOR_OK);
  CHECK(difference(4, 3) == 2 * 13);

  const sartor_generator wrong[] = {misuses, depends_on_nothing, takes_no_name};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(sartor_add_custom(runtime, "arithmetic", wrong[i], NULL) == SARTOR_OK);
    CHECK(sartor_specialize(runtime, set) == SARTOR_ERROR_BAD_GENERATOR);
  }
  CHECK(difference(4, 3) == 2 * 13);
  CHECK(sartor_add_custom_choices(runtime, "arithmetic", "12", by_llvm, NULL) ==
        SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_add_custom_choices(runtime, "arithmetic", NULL, by_llvm, NULL) ==
        SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_add_custom(NULL, "arithmetic", by_llvm, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
