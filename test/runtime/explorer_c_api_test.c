/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exploration in a C program: objectives, strategies, and their errors. The objective is the
 * result of a handler that is set without a guard, so its value identifies the setting. */
#include <sartor/c/explorer.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

unsigned c_handler(unsigned x, unsigned mode);

/* Values of sartor::ErrorCode, which are stable. */
enum { kBadJson = 20, kBadObjective = 22, kBadStrategy = 37, kWrongJournal = 38 };

/* A large regression budget only saves time here. */
#define OPTIONS                                                                                    \
  "\"unguarded\":[\"c_mode\"],\"sample_time\":0.0005,\"regression_budget\":0.9,\"confirm_for\":3"

typedef unsigned (*c_handler_type)(unsigned, unsigned);
static c_handler_type call;

static double read_result(void *user) {
  ++*(long *)user;
  return call(7, 1);
}

static long readings;
static const sartor_objective result = {
    .kind = SARTOR_GAUGE, .read = read_result, .user = &readings, .name = "result"};

static void decides_for(sartor_runtime *runtime, const sartor_objective *objective,
                        const char *options, const sartor_strategy_functions *strategy,
                        unsigned expected) {
  char *decision = NULL;
  char text[80];
  CHECK(sartor_explore(runtime, objective, options, strategy, &decision) == SARTOR_OK);
  snprintf(text, sizeof text, "{\"configuration\":{\"c_mode\":{\"values\":[%u],\"guard\":false}}",
           expected);
  if (expected == 1) /* the mode that the program passes */
    strcpy(text, "{\"configuration\":{}");
  if (!decision || strncmp(decision, text, strlen(text)) != 0)
    fprintf(stderr, "by %s: %s\n", objective->name ? objective->name : "?", decision);
  CHECK(decision && strncmp(decision, text, strlen(text)) == 0);
  if (decision)
    CHECK(strstr(decision, "\"mean\":") && strstr(decision, "\"windows\":"));
  CHECK(call(7, 1) == 7 * expected);
  sartor_free(decision);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void explores(sartor_runtime *runtime) {
  readings = 0;
  decides_for(runtime, &result, "{" OPTIONS "}", NULL, 3);
  CHECK(readings > 0);
  decides_for(runtime, &result, "{" OPTIONS ",\"choices\":{\"c_mode\":[1,2]}}", NULL, 2);
  sartor_objective cost = result;
  cost.lower_is_better = 1;
  decides_for(runtime, &cost, "{" OPTIONS ",\"choices\":{\"c_mode\":[2,3]},\"tolerance\":0}", NULL,
              1);
}

static void takes_strategies_by_name(sartor_runtime *runtime) {
  decides_for(runtime, &result, "{" OPTIONS ",\"strategy\":\"exhaustive\"}", NULL, 3);
  decides_for(runtime, &result, "{" OPTIONS ",\"strategy\":\"random\",\"seed\":7}", NULL, 3);
}

/* A counter of a busy thread: an idle program is judged by the cost of its work, which takes
 * long. */
static atomic_ulong counted;
static atomic_int goes_on;

static void *count_on(void *nothing) {
  while (goes_on)
    counted += call(7, 1);
  return nothing;
}

static double read_counted(void *nothing) {
  (void)nothing;
  return (double)counted;
}

typedef struct {
  double done, items;
} Work;

/* Each call of read_items() does one unit of work, so that the ratio is independent of the
 * number of calls. */
static double read_items(void *user) {
  Work *work = user;
  work->done += call(7, 1);
  return ++work->items;
}
static double read_done(void *user) { return ((Work *)user)->done; }

static void reads_counters_and_ratios(sartor_runtime *runtime) {
  Work work = {0, 0};
  const sartor_objective ratio = {
      .kind = SARTOR_RATIO, .read = read_done, .per = read_items, .user = &work};
  char *decision = NULL;
  decides_for(runtime, &ratio, "{" OPTIONS "}", NULL, 3);
  const sartor_objective counter = {.kind = SARTOR_COUNTER, .read = read_counted};
  pthread_t busy;
  goes_on = 1;
  CHECK(pthread_create(&busy, NULL, count_on, NULL) == 0);
  CHECK(sartor_explore(runtime, &counter, "{" OPTIONS ",\"most_samples\":5}", NULL, &decision) ==
        SARTOR_OK);
  goes_on = 0;
  CHECK(pthread_join(busy, NULL) == 0);
  sartor_free(decision);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

/* The larger the mode, the fewer calls are slow. */
static void count_latencies(void *user, uint64_t *counts) {
  uint64_t *seen = user;
  const unsigned mode = call(7, 1) / 7;
  seen[0] += 20 + 20 * mode;
  seen[1] += 20;
  seen[2] += 60 - 20 * mode;
  memcpy(counts, seen, 4 * sizeof *seen);
}

static void compares_percentiles_within_bounds(sartor_runtime *runtime) {
  static const double bounds[] = {1e-3, 2e-3, 4e-3};
  uint64_t seen[4] = {0, 0, 0, 0};
  sartor_objective latency = {.kind = SARTOR_PERCENTILE,
                              .percent = 70,
                              .bounds = bounds,
                              .bound_count = 3,
                              .counts = count_latencies,
                              .user = seen};
  decides_for(runtime, &latency, "{" OPTIONS "}", NULL, 3);
  const sartor_bound most = {.of = &result, .most = 15}; /* the result is 7, 14 or 21 */
  latency.subject_to = &most;
  latency.subject_to_count = 1;

  /* Whether the decision is certain in time depends on the machine; the bound must hold in any
   * case. */
  char *decision = NULL;
  CHECK(sartor_explore(runtime, &latency, "{" OPTIONS ",\"confirm_for\":0.01}", NULL, &decision) ==
        SARTOR_OK);
  CHECK(decision && strstr(decision, "\"bounds\":[{") && !strstr(decision, "[3]"));
  CHECK(call(7, 1) <= 14);
  sartor_free(decision);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
  latency.percent = 100;
  CHECK(sartor_explore(runtime, &latency, "{}", NULL, &decision) == kBadObjective);
  sartor_histogram *histogram = sartor_histogram_make();
  CHECK(histogram != NULL);
  sartor_histogram_record(histogram, 1000);
  sartor_histogram_record(histogram, UINT64_MAX);
  sartor_histogram_free(histogram);
  sartor_histogram_free(NULL);
}

/* A strategy that tries the modes 1, 2 and 3 and selects the best. */
typedef struct {
  int asked, reported, failed;
  double best_score;
  int best;
  char text[200];
} Modes;

static int live_strategies;

static void *make_modes(void *user, const char *space) {
  CHECK(strstr(space, "\"c_mode\"") != NULL);
  *(int *)user += 1;
  ++live_strategies;
  return calloc(1, sizeof(Modes));
}

static const char *ask_modes(void *strategy) {
  Modes *modes = strategy;
  if (modes->asked == 3)
    return NULL;
  snprintf(modes->text, sizeof modes->text, "{\"c_mode\":{\"values\":[%d],\"guard\":false}}",
           ++modes->asked);
  return modes->text;
}

static void report_modes(void *strategy, const char *trial) {
  Modes *modes = strategy;
  const char *score = strstr(trial, "\"score\":");
  const char *mode = strstr(trial, "\"values\":[");
  ++modes->reported;
  modes->failed += strstr(trial, "\"failed\":true") != NULL;
  if (score && mode && strtod(score + 8, NULL) > modes->best_score) {
    modes->best_score = strtod(score + 8, NULL);
    modes->best = (int)strtol(mode + 10, NULL, 10);
  }
}

static const char *best_modes(void *strategy) {
  Modes *modes = strategy;
  snprintf(modes->text, sizeof modes->text,
           "{\"configuration\":{\"c_mode\":{\"values\":[%d],\"guard\":false}},\"mean\":%g}",
           modes->best, modes->best_score);
  return modes->text;
}

static void free_modes(void *strategy) {
  --live_strategies;
  free(strategy);
}

static sartor_strategy_functions strategy_of_modes(int *made) {
  const sartor_strategy_functions functions = {.make = make_modes,
                                               .ask = ask_modes,
                                               .tell = report_modes,
                                               .best = best_modes,
                                               .free = free_modes,
                                               .user = made};
  return functions;
}

static void takes_a_strategy_of_ones_own(sartor_runtime *runtime) {
  int made = 0;
  const sartor_strategy_functions functions = strategy_of_modes(&made);
  decides_for(runtime, &result, "{" OPTIONS "}", &functions, 3);
  decides_for(runtime, &result, "{" OPTIONS "}", &functions, 3);
  CHECK(made == 2);
  CHECK(live_strategies == 0);
}

static const char *ask_garbage(void *strategy) {
  (void)strategy;
  return "{\"c_mode\"";
}

static const char *ask_outside(void *strategy) {
  ++((Modes *)strategy)->asked;
  return "{\"c_mode\":9}";
}

static const char *ask_again(void *strategy) {
  ++((Modes *)strategy)->asked;
  return "{}";
}

static const char *best_garbage(void *strategy) {
  (void)strategy;
  return "{\"mean\":1}";
}

static const char *best_generic(void *strategy) {
  (void)strategy;
  return "{\"configuration\":{}}";
}

static void *make_nothing(void *user, const char *space) {
  (void)user;
  (void)space;
  return NULL;
}

static int reported, reported_failed;

static void count_reported(void *strategy, const char *trial) {
  report_modes(strategy, trial);
  reported = ((Modes *)strategy)->reported;
  reported_failed = ((Modes *)strategy)->failed;
}

/* Errors of a strategy are reported, and the previous configuration is restored. */
static void refuses(sartor_runtime *runtime, const sartor_strategy_functions *functions,
                    const char *why) {
  char *decision = NULL;
  CHECK(sartor_specialize(runtime, "{\"c_mode\":{\"values\":[2],\"guard\":false}}") == SARTOR_OK);
  CHECK(sartor_explore(runtime, &result, "{" OPTIONS "}", functions, &decision) == kBadStrategy);
  CHECK(decision == NULL);
  CHECK(strstr(sartor_last_error(), why) != NULL);
  CHECK(call(7, 1) == 14);
  CHECK(live_strategies == 0);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void refuses_bad_strategies(sartor_runtime *runtime) {
  int made = 0;
  sartor_strategy_functions functions = strategy_of_modes(&made);
  functions.ask = ask_garbage;
  refuses(runtime, &functions, "\"ask\"");
  functions = strategy_of_modes(&made);
  functions.best = best_garbage;
  refuses(runtime, &functions, "\"best\"");
  functions = strategy_of_modes(&made);
  functions.make = make_nothing;
  refuses(runtime, &functions, "\"make\"");
  functions = strategy_of_modes(&made);
  functions.ask = NULL;
  refuses(runtime, &functions, "lacks a function");
  functions = strategy_of_modes(&made);
  functions.ask = ask_outside;
  functions.tell = count_reported;
  refuses(runtime, &functions, "outside of the space");
  CHECK(reported > 0 && reported_failed == reported);
}

/* A better result has a higher price, but a smaller ratio: 217, 224 or 231. */
static double price_of_result(void *user) {
  (void)user;
  return 210 + call(7, 1);
}

static void weighs_several_quantities(sartor_runtime *runtime) {
  const sartor_objective dear = {
      .kind = SARTOR_GAUGE, .lower_is_better = 1, .read = price_of_result};
  sartor_weighted members[] = {{.of = &result, .weight = 1}, {.of = &dear, .weight = 1}};
  sartor_objective both = {.kind = SARTOR_WEIGHTED, .weighted = members, .weighted_count = 2};
  decides_for(runtime, &both, "{" OPTIONS "}", NULL, 3);
  char *decision = NULL;
  both.weighted_count = 1;
  CHECK(sartor_explore(runtime, &both, "{}", NULL, &decision) == kBadObjective);
  both.weighted_count = 2;
  members[1].of = NULL;
  CHECK(sartor_explore(runtime, &both, "{}", NULL, &decision) == kBadObjective);
  CHECK(!decision);
}

static void bounds_a_strategy_that_repeats_itself(sartor_runtime *runtime) {
  int made = 0;
  char *decision = NULL;
  sartor_strategy_functions functions = strategy_of_modes(&made);
  functions.ask = ask_again;
  functions.best = best_generic;
  CHECK(sartor_explore(runtime, &result, "{" OPTIONS ",\"most_samples\":20,\"most_trials\":10}",
                       &functions, &decision) == SARTOR_OK);
  CHECK(decision && strstr(decision, "{\"configuration\":{}") != NULL);
  sartor_free(decision);
}

static void explores_in_the_background(sartor_runtime *runtime) {
  sartor_explorer *explorer = NULL;
  char *decision = NULL;
  CHECK(sartor_explorer_start(runtime, &result, "{" OPTIONS "}", NULL, &explorer) == SARTOR_OK);
  while (explorer && !decision) {
    CHECK(sartor_explorer_decision(explorer, &decision) == SARTOR_OK);
    usleep(1000);
  }
  CHECK(decision && strstr(decision, "[3]") != NULL);
  sartor_free(decision);
  CHECK(sartor_explorer_stop(explorer) == SARTOR_OK);
  CHECK(call(7, 1) == 21);
  sartor_explorer_free(explorer);
  sartor_explorer_free(NULL);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void reports_bad_options(sartor_runtime *runtime) {
  char *decision = NULL;
  static const char *const wrong[] = {"[]",
                                      "{\"sample_time\":",
                                      "{\"sample_time\":\"x\"}",
                                      "{\"sample_time\":1e300}",
                                      "{\"most_trials\":-1}",
                                      "{\"choices\":[]}",
                                      "{\"choices\":{\"c_mode\":1}}",
                                      "{\"unguarded\":\"x\"}",
                                      "{\"change\":\"x\"}",
                                      "{\"journal\":1}",
                                      "{\"strategy\":1}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    CHECK(sartor_explore(runtime, &result, wrong[i], NULL, &decision) == kBadJson);
  CHECK(sartor_explore(runtime, &result, "{\"most_trails\":1}", NULL, &decision) == kBadJson);
  CHECK(strstr(sartor_last_error(), "did you mean \"most_trials\"") != NULL);
  CHECK(sartor_explore(runtime, &result, "{\"strategy\":\"luck\"}", NULL, &decision) ==
        kBadObjective);
  CHECK(sartor_explore(runtime, &result, "{\"most_samples\":0}", NULL, &decision) == kBadObjective);
  const sartor_objective nothing = {.kind = SARTOR_GAUGE};
  CHECK(sartor_explore(runtime, &nothing, NULL, NULL, &decision) == kBadObjective);
  sartor_objective wrong_one = result;
  wrong_one.kind = (enum sartor_objective_kind)7;
  CHECK(sartor_explore(runtime, &wrong_one, NULL, NULL, &decision) == kBadObjective);
  const sartor_objective null_lists[] = {
      {.kind = SARTOR_WEIGHTED, .weighted_count = 2},
      {.kind = SARTOR_GAUGE, .read = read_result, .user = &readings, .subject_to_count = 1},
      {.kind = SARTOR_PERCENTILE, .bound_count = 3}};
  for (size_t i = 0; i < sizeof null_lists / sizeof *null_lists; ++i)
    CHECK(sartor_explore(runtime, &null_lists[i], NULL, NULL, &decision) ==
          SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(!sartor_histogram_bounds(NULL) && sartor_last_error_code() == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_histogram_record(NULL, 1);
  sartor_histogram_record_seconds(NULL, 1);
  CHECK(decision == NULL);
}

static void keeps_a_journal(sartor_runtime *runtime, const char *path) {
  char options[600];
  char *decision = NULL;
  unlink(path);
  snprintf(options, sizeof options, "{" OPTIONS ",\"journal\":\"%s\"}", path);
  decides_for(runtime, &result, options, NULL, 3);
  FILE *file = fopen(path, "r");
  char line[400] = "";
  CHECK(file && fgets(line, sizeof line, file) != NULL);
  CHECK(strstr(line, "\"objective\":\"result\"") != NULL);
  if (file)
    fclose(file);
  snprintf(options, sizeof options, "{" OPTIONS ",\"journal\":\"%s\",\"choices\":{\"c_mode\":[1]}}",
           path);
  CHECK(sartor_explore(runtime, &result, options, NULL, &decision) == kWrongJournal);
  CHECK(strstr(sartor_last_error(), path) != NULL);
  unlink(path);
}

static void lends_strategies(sartor_runtime *runtime) {
  sartor_strategy *strategy = NULL;
  char *text = NULL;
  char *space = NULL;
  int trials = 0;
  CHECK(sartor_search_space(runtime, "{\"choices\":{\"c_mode\":[1,3]}}", &space) == SARTOR_OK);
  CHECK(space && strstr(space, "\"settings\":[1,3]") != NULL);
  CHECK(sartor_strategy_make("random", space, "{\"seed\":3}", &strategy) == SARTOR_OK);
  for (;;) {
    char trial[200];
    CHECK(sartor_strategy_ask(strategy, &text) == SARTOR_OK);
    if (!text || failures)
      break;
    snprintf(trial, sizeof trial, "{\"configuration\":%s,\"score\":%d}", text,
             strchr(text, '3') ? 9 : 1);
    sartor_free(text);
    CHECK(sartor_strategy_tell(strategy, trial) == SARTOR_OK);
    ++trials;
  }
  CHECK(trials == 3);
  CHECK(sartor_strategy_best(strategy, &text) == SARTOR_OK);
  CHECK(text && strstr(text, "{\"configuration\":{\"c_mode\":3},\"mean\":9") != NULL);
  sartor_free(text);
  CHECK(sartor_strategy_tell(strategy, "{}") == kBadJson);
  CHECK(sartor_strategy_tell(strategy, "{\"configuration\":{}}") == kBadJson);
  CHECK(sartor_strategy_tell(strategy, "{\"configuration\":{},\"score\":\"x\"}") == kBadJson);
  sartor_strategy_free(strategy);
  sartor_strategy_free(NULL);
  strategy = NULL;
  CHECK(sartor_strategy_make("luck", space, NULL, &strategy) == kBadObjective);
  CHECK(sartor_strategy_make("random", "{", NULL, &strategy) == kBadJson);
  CHECK(sartor_strategy_make("random", space, "{\"sed\":1}", &strategy) == kBadJson);
  CHECK(strategy == NULL);
  sartor_free(space);
}

int main(int argc, char **argv) {
  sartor_runtime *runtime = NULL;
  void (*function)(void) = NULL;
  if (argc != 3)
    return 2;
  CHECK(sartor_open(&runtime) == SARTOR_OK);
  CHECK(sartor_handler(runtime, "c_handler", &function) == SARTOR_OK);
  call = (c_handler_type)function;
  switch (strtol(argv[2], NULL, 10)) {
  case 1:
    explores(runtime);
    takes_strategies_by_name(runtime);
    reads_counters_and_ratios(runtime);
    break;
  case 2:
    compares_percentiles_within_bounds(runtime);
    weighs_several_quantities(runtime);
    break;
  case 3:
    takes_a_strategy_of_ones_own(runtime);
    refuses_bad_strategies(runtime);
    bounds_a_strategy_that_repeats_itself(runtime);
    break;
  default:
    explores_in_the_background(runtime);
    reports_bad_options(runtime);
    keeps_a_journal(runtime, argv[1]);
    lends_strategies(runtime);
  }
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
