// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A strategy of the program: tries twenty random configurations and returns the best one. */
#include <string.h>

#include <sartor/c/explorer.h>
#include <sartor/c/search_space.h>

#include "failed.h"
#include "rounds.h"

struct luck {
  sartor_coordinates *places;
  uint32_t *place; /* one number per dimension of the space */
  int asked;
  double best_score;
  char *text;     /* the configuration proposed last */
  char best[200]; /* a decision, in JSON */
};

static void *make(void *user, const char *space) {
  (void)user;
  struct luck *luck = calloc(1, sizeof *luck);
  if (!luck || sartor_coordinates_read(space, 1, &luck->places) != SARTOR_OK) {
    free(luck);
    return NULL;
  }
  luck->place = calloc(sartor_coordinates_dimensions(luck->places), sizeof *luck->place);
  strcpy(luck->best, "{\"configuration\": {}}");
  return luck;
}

static const char *ask(void *strategy) {
  struct luck *luck = strategy;
  sartor_free(luck->text);
  luck->text = NULL;
  if (luck->asked++ == 20 || sartor_coordinates_random(luck->places, luck->place) != SARTOR_OK)
    return NULL;
  must(sartor_coordinates_configuration(luck->places, luck->place, &luck->text));
  return luck->text;
}

static void tell(void *strategy, const char *trial) {
  struct luck *luck = strategy;
  double score;
  char *configuration;
  if (sartor_json_number(trial, "/score", &score) != SARTOR_OK || score <= luck->best_score)
    return; /* failed, or not better */
  luck->best_score = score;
  must(sartor_json_text(trial, "/configuration", &configuration));
  snprintf(luck->best, sizeof luck->best, "{\"configuration\": %s, \"mean\": %g}", configuration,
           score);
  sartor_free(configuration);
}

static const char *best(void *strategy) { return ((struct luck *)strategy)->best; }

static void free_luck(void *strategy) {
  struct luck *luck = strategy;
  sartor_coordinates_free(luck->places);
  sartor_free(luck->text);
  free(luck->place);
  free(luck);
}

/* The objective. In this example, 40 rounds are the best by far. */
static double quality(void *runtime) {
  char *configuration;
  double rounds = 1;
  must(sartor_configuration(runtime, &configuration));
  (void)sartor_json_number(configuration, "/rounds", &rounds); /* not set if generic */
  sartor_free(configuration);
  return 100 - (rounds < 40 ? 40 - rounds : rounds - 40);
}

int main(void) {
  sartor_runtime *runtime;
  char *decision;
  double rounds;
  must(sartor_open(&runtime));
  const sartor_objective objective = {.kind = SARTOR_GAUGE, .read = quality, .user = runtime};
  const sartor_strategy_functions luck = {
      .make = make, .ask = ask, .tell = tell, .best = best, .free = free_luck};
  must(sartor_explore(runtime, &objective,
                      "{\"choices\": {\"rounds\": [10, 20, 30, 40, 50]}, \"sample_time\": 0.0005,"
                      " \"confirm_for\": 0.3}",
                      &luck, &decision));
  must(sartor_json_number(decision, "/configuration/rounds", &rounds));
  printf("best: %g rounds\n", rounds);
  sartor_free(decision);
  sartor_close(runtime);
  return 0;
}
