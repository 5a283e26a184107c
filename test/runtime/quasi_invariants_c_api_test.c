/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quasi-invariants and write guards in C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sartor/c/explorer.h>
#include <sartor/c/sartor.h>

#include "check.h"
#include "handlers/c_file_or_ask.h"

static struct CFile file;
static int asked;

static int refuses(void *context, void *address, size_t size) {
  (void)size;
  REQUIRE(context == &asked && !address);
  return ++asked == 1; /* the first time */
}

static int valid(void *context) {
  REQUIRE(context == &asked);
  return 1;
}

static void wait_until_folded(unsigned long (*read)(unsigned long)) {
  const struct timespec pause = {0, 1000000};
  int i;
  for (i = 0; i < 60000 && !read(IS_SHARED_FOLDED); ++i)
    nanosleep(&pause, NULL);
  REQUIRE(read(IS_SHARED_FOLDED));
}

static void check_errors(void) {
  sartor_quasi_invariant *quasi_invariant = NULL;
  sartor_quasi_invariant_options both = {NULL, refuses, refuses, &asked, 0, 0, 0, 0, 0, 0};
  REQUIRE(sartor_quasi_invariant_make(NULL, NULL, &quasi_invariant) != SARTOR_OK);
  REQUIRE(sartor_quasi_invariant_make("both", &both, &quasi_invariant) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_invariant"));
  REQUIRE(sartor_quasi_invariant_add_part(NULL, &file, sizeof file, &file.shared,
                                          sizeof file.shared) != SARTOR_OK);
  REQUIRE(!sartor_begin_write(NULL));
  REQUIRE(strstr(sartor_last_error(), "bad_argument"));
  REQUIRE(!sartor_quasi_invariant_valid(NULL) && !sartor_quasi_invariant_wait(NULL, 1));
  sartor_end_write(NULL);
  sartor_quasi_invariant_free(NULL);
}

static void check_durations(void) {
  const sartor_quasi_invariant_options options = {.longest_back_off = 1e30, .check_every = 1e30};
  sartor_quasi_invariant *quasi_invariant = NULL;
  REQUIRE(sartor_quasi_invariant_make("long", &options, &quasi_invariant) == SARTOR_OK);
  sartor_quasi_invariant_free(quasi_invariant);
}

static double constant(void *user) {
  (void)user;
  return 1;
}

static void check_weighing(sartor_runtime *runtime, sartor_quasi_invariant *quasi_invariant) {
  const char *options = "{\"confirm_for\":0.1,\"regression_budget\":1}";
  const sartor_objective objective = {.kind = SARTOR_GAUGE, .read = constant, .name = "nothing"};
  const sartor_objective none = {.kind = SARTOR_COUNTER};
  char *economy = NULL;
  REQUIRE(sartor_quasi_invariant_weigh(runtime, NULL, &objective, options, 0, &economy) !=
          SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_argument"));
  REQUIRE(sartor_quasi_invariant_weigh(runtime, quasi_invariant, &none, NULL, 0, &economy) !=
          SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_objective"));
  REQUIRE(sartor_quasi_invariant_weigh(runtime, quasi_invariant, &objective, "{\"confirm\":1}", 0,
                                       &economy) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_json"));
  REQUIRE(sartor_quasi_invariant_weigh(runtime, quasi_invariant, &objective, options, 0,
                                       &economy) == SARTOR_OK);
  /* "not sure", or "not worth it" if making the variant has a cost that can be measured. */
  REQUIRE(strstr(economy,
                 "{\"quasi_invariant\":\"exclusive\",\"objective\":\"nothing\",\"worth\":\"not "));
  REQUIRE(strstr(economy, "\"gain\":{\"mean\":0.0"));
  sartor_free(economy);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  sartor_binding *binding = NULL;
  sartor_quasi_invariant *quasi_invariant = NULL;
  sartor_write *write = NULL;
  void (*function)(void) = NULL;
  unsigned long (*read)(unsigned long) = NULL;
  char *figures = NULL;
  const sartor_quasi_invariant_options options = {valid, refuses, NULL, &asked, 0,
                                                  0.001, 1,       0,    0.5,    0};
  const sartor_argument arguments[] = {
      {SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
  };
  check_errors();
  check_durations();
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  REQUIRE(sartor_quasi_invariant_make("exclusive", &options, &quasi_invariant) == SARTOR_OK);
  REQUIRE(sartor_quasi_invariant_add_part(quasi_invariant, &file, sizeof file, &file.shared,
                                          sizeof file.shared) == SARTOR_OK);
  REQUIRE(sartor_bind(runtime, "read_or_ask", arguments, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_function(binding, &function) == SARTOR_OK);
  read = (unsigned long (*)(unsigned long))function;
  REQUIRE(sartor_quasi_invariant_wait(quasi_invariant, 60) &&
          sartor_quasi_invariant_valid(quasi_invariant));
  wait_until_folded(read);
  check_weighing(runtime, quasi_invariant);
  wait_until_folded(read);

  REQUIRE(!sartor_begin_write(quasi_invariant)); /* refused */
  write = sartor_begin_write(quasi_invariant);
  REQUIRE(write && !sartor_quasi_invariant_valid(quasi_invariant));
  file.shared = 3;
  sartor_end_write(write);
  REQUIRE(read(1) == 3);
  REQUIRE(sartor_quasi_invariant_wait(quasi_invariant, 1e30)); /* "for ever" */
  wait_until_folded(read);
  REQUIRE(sartor_quasi_invariant_figures(quasi_invariant, &figures) == SARTOR_OK);
  REQUIRE(strstr(figures, "\"invalidated\":1,\"refused\":1,\"reinforced\":0"));
  sartor_free(figures);
  sartor_quasi_invariant_free(quasi_invariant);
  file.shared = 4;
  REQUIRE(read(1) == 4);
  sartor_release(binding);
  sartor_close(runtime);
  puts("all is well");
  return EXIT_SUCCESS;
}
