/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Search spaces, strategies and explorers that are started, stopped and asked, from C. */
#include <sartor/c/explorer.h>
#include <sartor/c/search_space.h>

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

typedef unsigned (*c_handler_type)(unsigned, unsigned);
static c_handler_type call;

static double read_result(void *user) {
  (void)user;
  return call(7, 1);
}

static const sartor_objective result = {
    .kind = SARTOR_GAUGE, .read = read_result, .name = "result"};
static const char *const options = "{\"unguarded\":[\"c_mode\"],\"sample_time\":0.0005}";

static const char *const two = "{\"dimensions\":[{\"label\":\"a\",\"settings\":[1,2,4]},"
                               "{\"label\":\"b\",\"settings\":[\"x\",\"y\"],\"ordered\":false}],"
                               "\"constraints\":{\"forbidden\":[{\"a\":4,\"b\":\"y\"}]}}";

static void reads_search_spaces(void) {
  sartor_coordinates *places = NULL;
  char *text = NULL;
  size_t count = 0;
  REQUIRE(sartor_coordinates_read(two, 3, &places) == SARTOR_OK);
  CHECK(sartor_coordinates_dimensions(places) == 2);
  CHECK(strcmp(sartor_coordinates_label(places, 1), "b") == 0 &&
        !sartor_coordinates_label(places, 2));
  CHECK(sartor_coordinates_settings(places, 0) == 3 && sartor_coordinates_settings(places, 2) == 0);
  CHECK(sartor_coordinates_is_ordered(places, 0) == 1 &&
        sartor_coordinates_is_ordered(places, 1) == 0);
  CHECK(sartor_coordinates_combinations(places) == 12);
  CHECK(sartor_coordinates_constraints(places, &text) == SARTOR_OK);
  CHECK(text && strstr(text, "{\"a\":4,\"b\":\"y\"}"));
  sartor_free(text);
  CHECK(sartor_coordinates_all(places, 100, &text) == SARTOR_OK);
  CHECK(sartor_json_count(text, "", &count) == SARTOR_OK && count == 11);
  sartor_free(text);
  CHECK(sartor_coordinates_all(places, 3, &text) == SARTOR_ERROR_BAD_OBJECTIVE);

  uint32_t place[2] = {3, 1}, found[2] = {9, 9};
  CHECK(sartor_coordinates_allows(places, place) == 1);
  CHECK(sartor_coordinates_configuration(places, place, &text) == SARTOR_OK);
  CHECK(strcmp(text, "{\"a\":4,\"b\":\"x\"}") == 0);
  CHECK(sartor_coordinates_find(places, text, found) == SARTOR_OK);
  CHECK(memcmp(place, found, sizeof place) == 0);
  sartor_free(text);
  place[1] = 2; /* a combination that is not allowed */
  CHECK(sartor_coordinates_allows(places, place) == 0);
  place[1] = 3; /* no such setting */
  CHECK(sartor_coordinates_allows(places, place) == 0);
  CHECK(sartor_coordinates_configuration(places, place, &text) ==
        SARTOR_ERROR_VALUE_OUTSIDE_CHOICES);
  CHECK(sartor_coordinates_find(places, "{\"a\":3}", found) == SARTOR_ERROR_VALUE_OUTSIDE_CHOICES);
  for (int i = 0; i < 100; ++i) {
    CHECK(sartor_coordinates_random(places, place) == SARTOR_OK);
    CHECK(sartor_coordinates_allows(places, place) == 1);
  }
  sartor_coordinates_free(places);
  sartor_coordinates_free(NULL);
  CHECK(sartor_coordinates_read("{", 1, &places) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_coordinates_dimensions(NULL) == 0 && sartor_coordinates_combinations(NULL) == 0);
}

/* Reports to the strategy a score for each configuration it asks for, doubled if a setting is 3;
 * returns the best. */
static char *run(sartor_strategy *strategy) {
  char *text = NULL, trial[300];
  for (int i = 0; i < 10000; ++i) {
    CHECK(sartor_strategy_ask(strategy, &text) == SARTOR_OK);
    if (!text)
      break;
    snprintf(trial, sizeof trial, "{\"configuration\":%s,\"score\":%d}", text,
             strchr(text, '3') ? 20 : 10);
    sartor_free(text);
    CHECK(sartor_strategy_tell(strategy, trial) == SARTOR_OK);
  }
  CHECK(sartor_strategy_best(strategy, &text) == SARTOR_OK);
  return text;
}

static void lends_strategies(sartor_runtime *runtime) {
  sartor_strategy *strategy = NULL;
  char *best = NULL;
  REQUIRE(sartor_strategy_race("[{},{\"c_mode\":3},{\"c_mode\":2}]", "{\"most_samples\":50}",
                               &strategy) == SARTOR_OK);
  CHECK(sartor_strategy_sample_count(strategy) == 1 && sartor_strategy_sample_count(NULL) == 0);
  best = run(strategy);
  CHECK(best && strstr(best, "{\"configuration\":{\"c_mode\":3}"));
  sartor_free(best);
  sartor_strategy_free(strategy);
  strategy = NULL;
  CHECK(sartor_strategy_race("[]", NULL, &strategy) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_strategy_race("[{}]", "{\"sample_count\":1}", &strategy) == SARTOR_ERROR_BAD_JSON);
  CHECK(!strategy);

  /* Without a sidecar, a replica continues alone. */
  char *space = NULL;
  REQUIRE(sartor_search_space(runtime, NULL, &space) == SARTOR_OK);
  REQUIRE(sartor_strategy_fleet(runtime, space,
                                "{\"socket\":\"/nowhere/sidecar\",\"study\":\"test\","
                                "\"patience\":0.01,\"most_trials\":10,\"alone\":\"exhaustive\"}",
                                &strategy) == SARTOR_OK);
  best = run(strategy);
  CHECK(best && strstr(best, "\"c_mode\":3"));
  sartor_free(best);
  sartor_strategy_free(strategy);
  strategy = NULL;
  CHECK(sartor_strategy_fleet(runtime, space, "{\"socket\":\"x\"}", &strategy) ==
        SARTOR_ERROR_BAD_JSON);
  CHECK(strcmp(sartor_last_error_subject(), "study") == 0);
  CHECK(sartor_strategy_fleet(runtime, space,
                              "{\"socket\":\"x\",\"study\":\"y\",\"alone\":\"luck\"}",
                              &strategy) == SARTOR_ERROR_BAD_OBJECTIVE);
  CHECK(!strategy);
  sartor_free(space);
}

static void explores_with_a_fleet(sartor_runtime *runtime) {
  char *decision = NULL;
  const char *fleet = "{\"unguarded\":[\"c_mode\"],\"sample_time\":0.0005,\"fleet\":{\"socket\":"
                      "\"/nowhere/sidecar\",\"study\":\"test\",\"patience\":0.01}}";
  CHECK(sartor_explore(runtime, &result, fleet, NULL, &decision) == SARTOR_OK);
  CHECK(decision && strstr(decision, "[3]"));
  CHECK(decision && strstr(decision, "\"verdict\":\"better\"") && strstr(decision, "runner_up"));
  sartor_free(decision);
  CHECK(sartor_explore(runtime, &result,
                       "{\"strategy\":\"local\",\"fleet\":{\"socket\":\"x\",\"study\":\"y\"}}",
                       NULL, &decision) == SARTOR_ERROR_BAD_OBJECTIVE);
  CHECK(sartor_explore(runtime, &result, "{\"fleet\":1}", NULL, &decision) ==
        SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static int asked_for_signature;
static const char *signature(void *user) {
  CHECK(user == &asked_for_signature);
  ++asked_for_signature;
  return "by day";
}

static void *request_stop(void *stop) {
  usleep(20000);
  CHECK(sartor_stop_request(stop) == SARTOR_OK);
  return NULL;
}

static double constant(void *user) {
  (void)user;
  return 1;
}

static void explores_until_it_is_stopped(sartor_runtime *runtime) {
  const sartor_explorer_functions functions = {.signature = signature,
                                               .user = &asked_for_signature};
  const sartor_objective slow = {.kind = SARTOR_GAUGE, .read = constant, .name = "the same"};
  sartor_explorer *explorer = NULL;
  sartor_stop *stop = NULL;
  char *text = NULL;
  pthread_t thread;
  REQUIRE(sartor_explorer_make(runtime, &result, options, &functions, &explorer) == SARTOR_OK);
  CHECK(sartor_explorer_explorations(explorer) == 0 && sartor_explorer_explorations(NULL) == 0);
  CHECK(sartor_explorer_space(explorer, &text) == SARTOR_OK && strstr(text, "c_mode"));
  sartor_free(text);
  CHECK(sartor_explorer_explore(explorer, NULL, &text) == SARTOR_OK);
  CHECK(text && strstr(text, "[3]"));
  sartor_free(text);
  CHECK(sartor_explorer_explorations(explorer) == 1 && asked_for_signature > 0);
  CHECK(sartor_explorer_begin(explorer) == SARTOR_OK);
  CHECK(sartor_explorer_stop(explorer) == SARTOR_OK);
  sartor_explorer_free(explorer);

  /* Nothing ever improves, so exploration takes long. */
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
  REQUIRE(sartor_explorer_make(runtime, &slow, "{\"confirm_for\":1000}", NULL, &explorer) ==
          SARTOR_OK);
  REQUIRE(sartor_stop_make(&stop) == SARTOR_OK);
  REQUIRE(pthread_create(&thread, NULL, request_stop, stop) == 0);
  text = (char *)"unchanged";
  CHECK(sartor_explorer_explore(explorer, stop, &text) == SARTOR_OK && !text);
  pthread_join(thread, NULL);
  CHECK(sartor_explorer_explore(explorer, stop, &text) == SARTOR_OK && !text); /* for good */
  sartor_explorer_free(explorer);

  /* Weighing quasi-invariants is also stopped for good. */
  sartor_quasi_invariant *quasi_invariant = NULL;
  REQUIRE(sartor_quasi_invariant_make("quasi_invariant", NULL, &quasi_invariant) == SARTOR_OK);
  CHECK(sartor_quasi_invariant_weigh_until(runtime, quasi_invariant, &slow,
                                           "{\"confirm_for\":1000}", 0, stop, &text) == SARTOR_OK);
  CHECK(text && strstr(text, "not sure"));
  sartor_free(text);
  const double wrong_times[] = {-1, NAN, INFINITY, 1e300};
  for (size_t i = 0; i < sizeof wrong_times / sizeof *wrong_times; ++i)
    CHECK(sartor_quasi_invariant_weigh_until(runtime, quasi_invariant, &slow, NULL, wrong_times[i],
                                             stop, &text) == SARTOR_ERROR_BAD_OBJECTIVE);
  sartor_quasi_invariant_free(quasi_invariant);
  sartor_stop_free(stop);
  sartor_stop_free(NULL);
  CHECK(sartor_stop_request(NULL) == SARTOR_ERROR_BAD_ARGUMENT);
}

static void *made_nothing(void *user, const char *space) {
  (void)user, (void)space;
  return NULL;
}
static const char *asked_nothing(void *strategy) {
  (void)strategy;
  return NULL;
}
static void told_nothing(void *strategy, const char *trial) { (void)strategy, (void)trial; }

static void refuses_what_makes_no_sense(sartor_runtime *runtime) {
  const sartor_objective unknown = {.kind = (enum sartor_objective_kind)7, .read = read_result};
  sartor_explorer *explorer = NULL;
  CHECK(sartor_explorer_make(runtime, &unknown, NULL, NULL, &explorer) ==
        SARTOR_ERROR_BAD_OBJECTIVE);
  const sartor_objective without_list[] = {
      {.kind = SARTOR_GAUGE, .read = read_result, .subject_to_count = 1},
      {.kind = SARTOR_WEIGHTED, .weighted_count = 2},
      {.kind = SARTOR_PERCENTILE, .bound_count = 3},
  };
  for (size_t i = 0; i < sizeof without_list / sizeof *without_list; ++i)
    CHECK(sartor_explorer_make(runtime, &without_list[i], NULL, NULL, &explorer) ==
          SARTOR_ERROR_BAD_ARGUMENT);
  /* A strategy of functions and another one. */
  const sartor_strategy_functions strategy = {
      .make = made_nothing, .ask = asked_nothing, .tell = told_nothing, .best = asked_nothing};
  const sartor_explorer_functions functions = {.strategy = &strategy};
  const char *const others[] = {"{\"strategy\":\"local\"}",
                                "{\"fleet\":{\"socket\":\"/nowhere\",\"study\":\"test\"}}"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    CHECK(sartor_explorer_make(runtime, &result, others[i], &functions, &explorer) ==
          SARTOR_ERROR_BAD_OBJECTIVE);
  CHECK(!explorer);
}

static void lists_options(void) {
  char *json = NULL;
  CHECK(sartor_explorer_options(&json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"name\":\"sample_time\"") && strstr(json, "\"name\":\"strategy\""));
  sartor_free(json);
}

static void counts_latencies(void) {
  size_t bounds = 0, in = 0;
  const double *const largest = sartor_histogram_bounds(&bounds);
  sartor_histogram *const histogram = sartor_histogram_make();
  uint64_t *const counts = calloc(bounds + 1, sizeof *counts);
  REQUIRE(histogram && counts && bounds > 100);
  sartor_histogram_record(histogram, 2000);
  sartor_histogram_record_seconds(histogram, 2e-6);
  sartor_histogram_record_seconds(histogram, NAN);
  CHECK(sartor_histogram_counts(histogram, counts) == SARTOR_OK);
  while (in < bounds && largest[in] < 2e-6 * 0.9999)
    ++in;
  CHECK(counts[in] == 2);
  CHECK(sartor_histogram_counts(NULL, counts) == SARTOR_ERROR_BAD_ARGUMENT);
  free(counts);
  sartor_histogram_free(histogram);
}

/* Machines with and without energy counters: the objective receives the result in both cases. */
static void measures_energy(sartor_runtime *runtime) {
  sartor_explorer *explorer = NULL;
  const sartor_objective energy = {.kind = SARTOR_ENERGY, .per = constant};
  const sartor_objective of_nothing = {.kind = SARTOR_ENERGY};
  const sartor_status status = sartor_explorer_make(runtime, &energy, NULL, NULL, &explorer);
  CHECK(status == SARTOR_OK || status == SARTOR_ERROR_BAD_OBJECTIVE);
  sartor_explorer_free(explorer);
  CHECK(sartor_explorer_make(runtime, &of_nothing, NULL, NULL, &explorer) ==
        SARTOR_ERROR_BAD_OBJECTIVE);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  void (*function)(void) = NULL;
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  REQUIRE(sartor_handler(runtime, "c_handler", &function) == SARTOR_OK);
  call = (c_handler_type)function;
  reads_search_spaces();
  lends_strategies(runtime);
  explores_with_a_fleet(runtime);
  explores_until_it_is_stopped(runtime);
  refuses_what_makes_no_sense(runtime);
  lists_options();
  counts_latencies();
  measures_energy(runtime);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
