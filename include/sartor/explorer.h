/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Exploring in C: the counterpart of explorer.hpp, strategy.hpp and strategies.hpp, which say more.
 * Texts are JSON; those that are given out are freed with sartor_free().
 *
 *   a configuration  {"B":16}; {} is the generic code
 *   a trial          {"configuration":{"B":16},"score":1.5,"error":0.1,"slices":8}, with
 *                    "failed":true instead of the numbers, or "cut_short":true, where that is so;
 *                    "reference", what was in force at first scores on the same scale
 *   a decision       {"configuration":{"B":16},"mean":1.5,"low":1.4,"high":1.6,"windows":80}, with
 *                    "gain", "gain_low", "gain_high", "verdict" ("better", "no_gain" or
 *                    "undecided"), "runner_up" where there is one, and
 *                    "bounds":[{"mean":0.002,...}] and "keeps_bounds" where the objective has some
 *   a search space   as SearchSpace::json()
 */
#ifndef SARTOR_EXPLORER_H
#define SARTOR_EXPLORER_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sartor_objective_kind {
  SARTOR_COUNTER, /**< `read` gives a count that only grows; the objective is its rate. */
  SARTOR_GAUGE,   /**< `read` gives the objective itself. */
  SARTOR_RATIO,   /**< The objective is how much `read` grows by for each that `per` grows by. */
  SARTOR_CALL,    /**< The ticks that a call of `handler` takes; lower is always better. */
  /** What `percent` of all that a histogram counts do not exceed, `histogram` or the program's own;
   *  lower is always better. */
  SARTOR_PERCENTILE,
  /** Several quantities, `weighted`; of the other members, only the bounds are used. */
  SARTOR_WEIGHTED,
  /** The joules that processors take for each that `per` grows by, as Objective::energy_per(). */
  SARTOR_ENERGY
};

/** Counts latencies by size, for SARTOR_PERCENTILE; as sartor::Histogram. */
typedef struct sartor_histogram sartor_histogram;

/** Null where there is no memory. */
sartor_histogram *sartor_histogram_make(void);
/** From any thread, also in signal handlers. */
void sartor_histogram_record(sartor_histogram *histogram, uint64_t nanoseconds);
/** The same; what is no number is not counted. */
void sartor_histogram_record_seconds(sartor_histogram *histogram, double seconds);
/** The largest value in each bucket, in seconds; there is one bucket more. Static. */
const double *sartor_histogram_bounds(size_t *count);
/** How many there were so far in each bucket: one number more than there are bounds. */
sartor_status sartor_histogram_counts(const sartor_histogram *histogram, uint64_t *counts);
/** Null is allowed. Not before the explorers that read it are gone. */
void sartor_histogram_free(sartor_histogram *histogram);

struct sartor_bound;
struct sartor_weighted;

/** The number that says how well the system does. What is null or zero is as by default. The
 *  functions are called from the explorer's thread, with `user`, which must outlive it. */
typedef struct {
  enum sartor_objective_kind kind;
  int lower_is_better;
  double (*read)(void *user);
  double (*per)(void *user);
  double (*cost)(void *user); /**< Of a counter: what its work has cost so far, in any unit. */
  void *user;
  const char *handler;
  const char *name;
  const char *unit;
  /* Of a percentile. */
  double percent; /**< E.g. 99, which 0 is. */
  const sartor_histogram *histogram;
  const double
      *bounds; /**< Of a histogram of the program's own: the largest value in each bucket. */
  size_t bound_count;
  /** Writes how many there were so far in each bucket, one number more than there are bounds. */
  void (*counts)(void *user, uint64_t *counts);
  /* What must hold, as Objective::subject_to(). */
  const struct sartor_bound *subject_to;
  size_t subject_to_count;
  /* Of a weighted objective, as Objective::weighted(): at least two. */
  const struct sartor_weighted *weighted;
  size_t weighted_count;
} sartor_objective;

/** Another quantity, and how little or much it may be; 0 is no limit. All is copied. */
typedef struct sartor_bound {
  const sartor_objective *of;
  double least;
  double most;
} sartor_bound;

/** A quantity of several, and how much it counts beside the others. All is copied. */
typedef struct sartor_weighted {
  const sartor_objective *of;
  double weight;
} sartor_weighted;

/** A strategy of the program's own. All functions are called from one thread. A text that one of
 *  them returns stays as it is until the next call of any. Text that cannot be read, and one
 *  configuration after the other that is outside of the space, end the exploration with
 *  bad_strategy. */
typedef struct {
  /** The strategy of one exploration, which the other functions get; null if it cannot be made. */
  void *(*make)(void *user, const char *space);
  /** A configuration to try, or null when the strategy is sure; see Strategy::ask(). */
  const char *(*ask)(void *strategy);
  void (*tell)(void *strategy, const char *trial);
  /** A decision, whose estimate may be left out. */
  const char *(*best)(void *strategy);
  void (*free)(void *strategy); /**< May be null. */
  void *user;
  size_t slices; /**< Strategy::slices(); 0 is the default. */
} sartor_strategy_functions;

/** One exploration on the calling thread; *decision is what it has put in force. `options` are
 * those of ExplorerOptions by their names, durations in seconds, and a strategy by its name and
 * seed:
 *  `{"slice":0.002,"choices":{"N":[64,256]},"unguarded":["B"],"most_trials":20,
 *  "strategy":"local","seed":1}`; null for none. `"fleet":{"socket":"/run/sidecar","study":"day"}`
 * shares trials with other replicas: the fields of FleetOptions (fleet.hpp) by name, `alone` by a
 * strategy's name. `strategy` may be null. */
sartor_status sartor_explore(sartor_runtime *runtime, const sartor_objective *objective,
                             const char *options, const sartor_strategy_functions *strategy,
                             char **decision);

typedef struct sartor_explorer sartor_explorer;

/** Explores and watches in the background until sartor_explorer_stop(). Close the runtime after
 *  freeing the explorer. */
sartor_status sartor_explorer_start(sartor_runtime *runtime, const sartor_objective *objective,
                                    const char *options, const sartor_strategy_functions *strategy,
                                    sartor_explorer **out);
/** The last decision; *decision is null before the first. */
sartor_status sartor_explorer_decision(sartor_explorer *explorer, char **decision);
/** Stops after the slice under way. What was decided stays in force. */
sartor_status sartor_explorer_stop(sartor_explorer *explorer);
/** Stops, too. Null is allowed. */
void sartor_explorer_free(sartor_explorer *explorer);

/** With what explorations, and the weighing of facts, are ended from another thread. It must
 * outlive them. */
typedef struct sartor_stop sartor_stop;
/** Free it with sartor_stop_free(). */
sartor_status sartor_stop_make(sartor_stop **out);
/** For good: what is given it later ends at once. */
sartor_status sartor_stop_request(sartor_stop *stop);
/** Null is allowed. */
void sartor_stop_free(sartor_stop *stop);

/** What else an explorer asks of its program. What is null is as by default. */
typedef struct {
  const sartor_strategy_functions *strategy; /**< Copied. */
  /** What the program calls its present workload (ExplorerOptions::signature); may be empty or
   *  null. It stays as it is until the next call. */
  const char *(*signature)(void *user);
  void *user; /**< For `signature`. */
} sartor_explorer_functions;
/** An explorer that does nothing yet. `options` and `functions` may be null. */
sartor_status sartor_explorer_make(sartor_runtime *runtime, const sartor_objective *objective,
                                   const char *options, const sartor_explorer_functions *functions,
                                   sartor_explorer **out);
/** Explores and watches in the background until sartor_explorer_stop(). */
sartor_status sartor_explorer_begin(sartor_explorer *explorer);
/** One exploration on the calling thread, not while it works in the background. *decision is null
 *  if `stop`, which may be null, ended it: what was in force before is in force again then. */
sartor_status sartor_explorer_explore(sartor_explorer *explorer, const sartor_stop *stop,
                                      char **decision);
/** Completed explorations; 0 for null. */
size_t sartor_explorer_explorations(const sartor_explorer *explorer);
/** What it chooses from: a search space. */
sartor_status sartor_explorer_space(const sartor_explorer *explorer, char **space);
/** The options there are, as ExplorerOptions::describe(). */
sartor_status sartor_explorer_options(char **json);

/** Weighs a fact (economy.hpp), on the calling thread: what it brings against what it costs, as
 * JSON, to be freed with sartor_free(). `options` as for sartor_explore(), or null. A fact that is
 * not worth it does not come to hold for `leave_alone_for` seconds; 0: it is left as it is. */
sartor_status sartor_weigh_fact(sartor_runtime *runtime, const sartor_fact *fact,
                                const sartor_objective *objective, const char *options,
                                double leave_alone_for, char **economy);
/** The same until `stop` is requested. */
sartor_status sartor_weigh_fact_until(sartor_runtime *runtime, const sartor_fact *fact,
                                      const sartor_objective *objective, const char *options,
                                      double leave_alone_for, const sartor_stop *stop,
                                      char **economy);

/** What an exploration with these options chooses from. */
sartor_status sartor_search_space(sartor_runtime *runtime, const char *options, char **space);

/** A strategy that comes with Sartor, by itself: for programs that measure in their own way. From
 *  one thread at a time. */
typedef struct sartor_strategy sartor_strategy;

/** `name` as in strategies.hpp; `options` e.g. `{"most_trials":100,"seed":1}`, or null. */
sartor_status sartor_strategy_make(const char *name, const char *space, const char *options,
                                   sartor_strategy **out);
/** The strategy of race.hpp; `configurations` is a list, `options` the fields of RaceOptions by
 *  name, or null. */
sartor_status sartor_strategy_race(const char *configurations, const char *options,
                                   sartor_strategy **out);
/** The strategy of fleet.hpp, by itself; `options` as for "fleet" of sartor_explore(). `runtime`
 *  must outlive it. */
sartor_status sartor_strategy_fleet(const sartor_runtime *runtime, const char *space,
                                    const char *options, sartor_strategy **out);
/** How many slices a trial takes at most (Strategy::slices()); 0 for null. */
size_t sartor_strategy_slices(const sartor_strategy *strategy);
/** *configuration is null when there is nothing to ask. */
sartor_status sartor_strategy_ask(sartor_strategy *strategy, char **configuration);
sartor_status sartor_strategy_tell(sartor_strategy *strategy, const char *trial);
sartor_status sartor_strategy_best(sartor_strategy *strategy, char **decision);
/** Null is allowed. */
void sartor_strategy_free(sartor_strategy *strategy);

#ifdef __cplusplus
}
#endif

#endif
