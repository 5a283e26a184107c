/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts and write guards, from C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sartor/explorer.h>
#include <sartor/sartor.h>

#include "check.h"
#include "handlers/c_file.h"

static struct CFile file;
static int asked;

static int refuses(void *context, void *address, size_t size) {
  (void)size;
  REQUIRE(context == &asked && !address);
  return ++asked == 1; /* the first time */
}

static int holds(void *context) {
  REQUIRE(context == &asked);
  return 1;
}

/* Whether the field is folded: changes it behind everybody's back. */
static int is_folded(unsigned long (*read)(unsigned long)) {
  const unsigned long before = file.shared;
  unsigned long seen;
  file.shared = before + 100;
  seen = read(1);
  file.shared = before;
  return seen == before;
}

static void wait_until_folded(unsigned long (*read)(unsigned long)) {
  const struct timespec pause = {0, 1000000};
  int i;
  for (i = 0; i < 60000 && !is_folded(read); ++i)
    nanosleep(&pause, NULL);
  REQUIRE(is_folded(read));
}

static void check_errors(void) {
  sartor_fact *fact = NULL;
  sartor_fact_options both = {NULL, refuses, refuses, &asked, 0, 0, 0, 0, 0, 0};
  REQUIRE(sartor_make_fact(NULL, NULL, &fact) != SARTOR_OK);
  REQUIRE(sartor_make_fact("both", &both, &fact) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_invariant"));
  REQUIRE(sartor_fact_part(NULL, &file, sizeof file, &file.shared, sizeof file.shared) !=
          SARTOR_OK);
  REQUIRE(!sartor_begin_write(NULL));
  REQUIRE(strstr(sartor_last_error(), "bad_argument"));
  REQUIRE(!sartor_fact_holds(NULL) && !sartor_wait_for_fact(NULL, 1));
  sartor_end_write(NULL);
  sartor_drop_fact(NULL);
}

static double constant(void *user) {
  (void)user;
  return 1;
}

static void check_weighing(sartor_runtime *runtime, sartor_fact *fact) {
  const char *options = "{\"confirm_for\":0.1,\"regression_budget\":1}";
  const sartor_objective objective = {.kind = SARTOR_GAUGE, .read = constant, .name = "nothing"};
  const sartor_objective none = {.kind = SARTOR_COUNTER};
  char *economy = NULL;
  REQUIRE(sartor_weigh_fact(runtime, NULL, &objective, options, 0, &economy) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_argument"));
  REQUIRE(sartor_weigh_fact(runtime, fact, &none, NULL, 0, &economy) != SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_objective"));
  REQUIRE(sartor_weigh_fact(runtime, fact, &objective, "{\"confirm\":1}", 0, &economy) !=
          SARTOR_OK);
  REQUIRE(strstr(sartor_last_error(), "bad_json"));
  REQUIRE(sartor_weigh_fact(runtime, fact, &objective, options, 0, &economy) == SARTOR_OK);
  REQUIRE(
      strstr(economy, "{\"fact\":\"exclusive\",\"objective\":\"nothing\",\"worth\":\"not sure\""));
  REQUIRE(strstr(economy, "\"gain\":{\"mean\":0.0"));
  sartor_free(economy);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  sartor_binding *binding = NULL;
  sartor_fact *fact = NULL;
  sartor_write *write = NULL;
  void (*function)(void) = NULL;
  unsigned long (*read)(unsigned long) = NULL;
  char *figures = NULL;
  const sartor_fact_options options = {holds, refuses, NULL, &asked, 0, 0.001, 1, 0, 0.5, 0};
  const sartor_argument arguments[] = {
      {SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
  };
  check_errors();
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  REQUIRE(sartor_make_fact("exclusive", &options, &fact) == SARTOR_OK);
  REQUIRE(sartor_fact_part(fact, &file, sizeof file, &file.shared, sizeof file.shared) ==
          SARTOR_OK);
  REQUIRE(sartor_bind(runtime, "read_c_file", arguments, 2, &binding) == SARTOR_OK);
  REQUIRE(sartor_binding_function(binding, &function) == SARTOR_OK);
  read = (unsigned long (*)(unsigned long))function;
  REQUIRE(sartor_wait_for_fact(fact, 60) && sartor_fact_holds(fact));
  wait_until_folded(read);
  check_weighing(runtime, fact);
  wait_until_folded(read);

  REQUIRE(!sartor_begin_write(fact)); /* refused */
  write = sartor_begin_write(fact);
  REQUIRE(write && !sartor_fact_holds(fact));
  file.shared = 3;
  sartor_end_write(write);
  REQUIRE(read(1) == 3);
  wait_until_folded(read);
  REQUIRE(sartor_fact_figures(fact, &figures) == SARTOR_OK);
  REQUIRE(strstr(figures, "\"broken\":1,\"refused\":1,\"reinforced\":0"));
  sartor_free(figures);
  sartor_drop_fact(fact);
  file.shared = 4;
  REQUIRE(read(1) == 4);
  sartor_release(binding);
  sartor_close(runtime);
  puts("all is well");
  return EXIT_SUCCESS;
}
