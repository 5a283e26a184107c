/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts that are customized through bindings, in C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sartor/c/customize.h>

#include "check.h"
#include "handlers/c_file_or_ask.h"

static int collected;

static int collect(void *context, sartor_argument *arguments, sartor_invariant **invariant) {
  struct CFile *file = context;
  ++collected;
  REQUIRE(arguments[0].kind == SARTOR_ARGUMENT_UNBOUND && !*invariant);
  arguments[0].kind = SARTOR_ARGUMENT_POINTER;
  arguments[0].value.pointer = file;
  REQUIRE(sartor_invariant_add_part(file, sizeof *file, &file->shared, sizeof file->shared,
                                    invariant) == SARTOR_OK);
  return file->shared == 99; /* customizing would not pay */
}

typedef unsigned long (*read_one)(unsigned long);
typedef unsigned long (*read_any)(struct CFile *, unsigned long);

static void (*function_of(sartor_binding_id binding_id))(void) {
  void (*function)(void) = NULL;
  REQUIRE(sartor_customized(binding_id, &function) == SARTOR_OK);
  return function;
}

static void wait_until_folded(read_one read) {
  const struct timespec pause = {0, 1000000};
  int i;
  for (i = 0; i < 60000 && !read(IS_SHARED_FOLDED); ++i)
    nanosleep(&pause, NULL);
  REQUIRE(read(IS_SHARED_FOLDED));
}

static void check_errors(sartor_runtime *runtime, const sartor_customizer *customizer) {
  static struct CFile file;
  sartor_customizer wrong = *customizer;
  sartor_binding_id binding_id = 0;
  void (*function)(void) = NULL;
  REQUIRE(sartor_do_customize(NULL, customizer, &file, &binding_id) != SARTOR_OK);
  REQUIRE(sartor_do_customize(runtime, NULL, &file, &binding_id) != SARTOR_OK);
  REQUIRE(sartor_do_customize(runtime, customizer, &file, NULL) != SARTOR_OK);
  wrong.handler = "no_handler";
  REQUIRE(sartor_do_customize(runtime, &wrong, &file, &binding_id) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "no_handler"));
  REQUIRE(binding_id == 0);
  REQUIRE(sartor_customized(0, &function) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "binding id 0"));
  REQUIRE(sartor_cancel(4711) != SARTOR_OK);
}

int main(void) {
  const sartor_customizer customizer = {"read_or_ask", 2, collect};
  struct CFile file = {0, 7};
  struct CFile other = {0, 99};
  sartor_runtime *runtime = NULL;
  sartor_binding_id one = 0;
  sartor_binding_id same = 0;
  sartor_binding_id generic = 0;
  void (*function)(void) = NULL;
  read_one read = NULL;

  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  check_errors(runtime, &customizer);
  collected = 0;
  REQUIRE(sartor_do_customize(runtime, &customizer, &file, &one) == SARTOR_OK);
  REQUIRE(one != 0 && collected == 1);
  read = (read_one)function_of(one);
  REQUIRE(read(5) == 7 && file.offset == 5);
  wait_until_folded(read);
  REQUIRE(function_of(one) == (void (*)(void))read);

  REQUIRE(sartor_do_customize(runtime, &customizer, &file, &same) == SARTOR_OK);
  REQUIRE(same != one && collected == 2);
  wait_until_folded((read_one)function_of(same));

  /* A context that is not to be customized gets generic code that takes all arguments. */
  REQUIRE(sartor_do_customize(runtime, &customizer, &other, &generic) == SARTOR_OK);
  REQUIRE(((read_any)function_of(generic))(&other, 3) == 99 && other.offset == 3);

  REQUIRE(sartor_cancel(one) == SARTOR_OK);
  REQUIRE(sartor_cancel(one) != SARTOR_OK);
  REQUIRE(sartor_customized(one, &function) != SARTOR_OK);
  REQUIRE(sartor_cancel(same) == SARTOR_OK);
  file.shared = 8;

  /* The same object in a later context counts as another context. */
  REQUIRE(sartor_do_customize(runtime, &customizer, &file, &one) == SARTOR_OK);
  REQUIRE(one > generic);
  REQUIRE(((read_one)function_of(one))(1) == 8);
  REQUIRE(sartor_cancel(one) == SARTOR_OK);
  REQUIRE(sartor_cancel(generic) == SARTOR_OK);
  sartor_close(runtime);
  puts("all is well");
  return EXIT_SUCCESS;
}
