/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Generators in C: invariants, LLVM IR, choices and mistakes. */
#include <sartor/c/explorer.h>
#include <sartor/c/generator.h>

#include <string.h>

#include "check.h"
#include "handlers/custom.h"

static sartor_invariant *invariant;

/* custom_table[1] + a, by the table's name. */
static int depending(const sartor_generator_input *point, sartor_generated_code *code, void *user) {
  (void)point;
  (void)user;
  sartor_generated_depends_on(code, invariant);
  sartor_generate(code, SARTOR_LANGUAGE_C,
                  "extern unsigned custom_table[];\n"
                  "int specialized(int a, int b) { return a + custom_table[1]; }",
                  NULL, NULL);
  return 0;
}

/* a * b + 1. */
static int in_ir(const sartor_generator_input *point, sartor_generated_code *code, void *user) {
  (void)point;
  (void)user;
  sartor_generate(code, SARTOR_LANGUAGE_LLVM_IR,
                  "define i32 @specialized(i32 %a, i32 %b) {\n"
                  "  %p = mul i32 %a, %b\n"
                  "  %r = add i32 %p, 1\n"
                  "  ret i32 %r\n"
                  "}\n",
                  NULL, NULL);
  return 0;
}

static int unknown_language(const sartor_generator_input *point, sartor_generated_code *code,
                            void *user) {
  (void)point;
  (void)user;
  sartor_generate(code, (sartor_language)9, "int specialized;", NULL, NULL);
  return 0;
}

static int depends_on_nothing(const sartor_generator_input *point, sartor_generated_code *code,
                              void *user) {
  sartor_generated_depends_on(code, NULL);
  return in_ir(point, code, user);
}

static int without_text(const sartor_generator_input *point, sartor_generated_code *code,
                        void *user) {
  (void)point;
  (void)user;
  sartor_generate(code, SARTOR_LANGUAGE_C, NULL, NULL, NULL);
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

  CHECK(sartor_add_custom_choices(runtime, "arithmetic", "[12,13]", depending, NULL) == SARTOR_OK);
  CHECK(sartor_search_space(runtime, NULL, &space) == SARTOR_OK);
  CHECK(space && strstr(space, "[12,13]"));
  sartor_free(space);
  REQUIRE(sartor_specialize(runtime, set) == SARTOR_OK);
  CHECK(difference(4, 1) == 2 * (4 + 5));
  CHECK(sartor_invalidate(invariant) == SARTOR_OK); /* the variant goes with it */
  CHECK(difference(4, 1) == 2 * 3);

  CHECK(sartor_add_custom(runtime, "arithmetic", in_ir, NULL) == SARTOR_OK);
  REQUIRE(sartor_specialize(runtime, set) == SARTOR_OK);
  CHECK(difference(4, 3) == 2 * 13);

  const sartor_generator wrong[] = {unknown_language, depends_on_nothing, without_text};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(sartor_add_custom(runtime, "arithmetic", wrong[i], NULL) == SARTOR_OK);
    CHECK(sartor_specialize(runtime, set) == SARTOR_ERROR_BAD_GENERATOR);
  }
  CHECK(difference(4, 3) == 2 * 13);
  CHECK(sartor_add_custom_choices(runtime, "arithmetic", "null", in_ir, NULL) ==
        SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_add_custom_choices(runtime, "arithmetic", "12", in_ir, NULL) ==
        SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_add_custom_choices(runtime, "arithmetic", NULL, in_ir, NULL) ==
        SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_add_custom(NULL, "arithmetic", in_ir, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
