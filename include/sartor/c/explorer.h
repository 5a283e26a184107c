/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Exploring in C: the counterpart of explorer.hpp, strategy.hpp and strategies.hpp, which have more
 * details. Texts are JSON; those that functions return are freed with sartor_free().
 *
 *   a configuration  {"B":16}; {} is the generic code
 *   a trial          {"configuration":{"B":16},"score":1.5,"error":0.1,"sample_count":8}, with
 *                    "failed":true instead of the numbers, or "cut_short":true, if that applies;
 *                    "reference", the score of the initially active configuration on the same scale
 *   a decision       {"configuration":{"B":16},"mean":1.5,"low":1.4,"high":1.6,"windows":80}, with
 *                    "gain", "gain_low", "gain_high", "verdict" ("better", "no_gain" or
 *                    "undecided"), "runner_up" if there is one, and
 *                    "bounds":[{"mean":0.002,...}] and "keeps_bounds" if the objective has some;
 *                    "objective" and "unit" of what the explorer compared: the objective's, or
 * those of the cost of a unit of work a search space   in the format of SearchSpace::json()
 */
#ifndef SARTOR_C_EXPLORER_H
#define SARTOR_C_EXPLORER_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/c/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sartor_objective_kind {
  SARTOR_COUNTER, /**< `read` returns a count that only grows; the objective is its rate. */
  SARTOR_GAUGE,   /**< `read` returns the objective itself. */
  SARTOR_RATIO,   /**< The objective is the growth of `read` per growth of `per`. */
  SARTOR_CALL,    /**< Ticks that a call of `handler` takes; lower is always better. */
  /** The value that `percent` of all that a histogram counts do not exceed, `histogram` or the
   *  program's own; lower is always better. */
  SARTOR_PERCENTILE,
  /** Several quantities, `weighted`; of the other members, only the bounds are used. */
  SARTOR_WEIGHTED,
  /** The energy of the processors in joules per growth of `per`, see Objective::energy_per(). */
  SARTOR_ENERGY
};

/** Counts latencies by size, for SARTOR_PERCENTILE; see sartor::Histogram. */
typedef struct sartor_histogram sartor_histogram;

/** Null if there is not enough memory. */
sartor_histogram *sartor_histogram_make(void);
/** Callable from any thread, also in signal handlers. */
void sartor_histogram_record(sartor_histogram *histogram, uint64_t nanoseconds);
/** The same for seconds; NaN is not counted. */
void sartor_histogram_record_seconds(sartor_histogram *histogram, double seconds);
/** The largest value in each bucket, in seconds; one more bucket has all larger values. Static. */
const double *sartor_histogram_bounds(size_t *count);
/** Writes the counts so far, by bucket: one number more than there are bounds. */
sartor_status sartor_histogram_counts(const sartor_histogram *histogram, uint64_t *counts);
/** Must not be called before the explorers that read it are freed. Null is allowed. */
void sartor_histogram_free(sartor_histogram *histogram);

struct sartor_bound;
struct sartor_weighted;

/** The quantity to optimize. Null or zero selects a default. The functions are called from the
 *  explorer's thread, with `user`, which must outlive it. */
typedef struct {
  enum sartor_objective_kind kind;
  int lower_is_better;
  double (*read)(void *user);
  double (*per)(void *user);
  double (*cost)(void *user); /**< For a counter: the cost of its work so far, in any unit. */
  void *user;
  const char *handler;
  const char *name;
  const char *unit;
  /* For a percentile. */
  double percent; /**< E.g. 99, which is the default for 0. */
  const sartor_histogram *histogram;
  const double
      *bounds; /**< For a histogram of the program's own: the largest value in each bucket. */
  size_t bound_count;
  /** Writes the counts so far, by bucket: one number more than there are bounds. */
  void (*counts)(void *user, uint64_t *counts);
  /* Quantities that must stay within limits, see Objective::subject_to(). */
  const struct sartor_bound *subject_to;
  size_t subject_to_count;
  /* For a weighted objective, see Objective::weighted(): at least two. */
  const struct sartor_weighted *weighted;
  size_t weighted_count;
} sartor_objective;

/** Another quantity and its lower and upper limits; 0 is no limit. All is copied. */
typedef struct sartor_bound {
  const sartor_objective *of;
  double least;
  double most;
} sartor_bound;

/** One of several quantities, and its weight relative to the others. All is copied. */
typedef struct sartor_weighted {
  const sartor_objective *of;
  double weight;
} sartor_weighted;

/** A strategy of the program's own. All functions are called from one thread. A text that one of
 *  them returns must stay unchanged until the next call of any. Text that cannot be parsed, and
 *  repeated configurations outside of the space, end the exploration with bad_strategy. */
typedef struct {
  /** Creates the strategy of one exploration, which is passed to the other functions; null if it
   *  cannot be made. */
  void *(*make)(void *user, const char *space);
  /** A configuration to try, or null when the strategy is sure; see Strategy::ask(). */
  const char *(*ask)(void *strategy);
  void (*tell)(void *strategy, const char *trial);
  /** A decision, whose estimate may be omitted. */
  const char *(*best)(void *strategy);
  void (*free)(void *strategy); /**< May be null. */
  void *user;
  size_t sample_count; /**< Strategy::sample_count(); 0 is the default. */
} sartor_strategy_functions;

/** Runs one exploration on the calling thread; *decision is the decision that it has activated.
 *  `options` are those of ExplorerOptions by their names, durations in seconds, and a strategy by
 *  its name and seed:
 *  `{"sample_time":0.002,"choices":{"N":[64,256]},"unguarded":["B"],"most_trials":20,
 *  "strategy":"local","seed":1}`; null for none.
 *  `"fleet":{"socket":"/run/sidecar","study":"day"}` shares trials with other replicas: the
 *  fields of FleetOptions (fleet.hpp) by name, `alone` by a strategy's name. `strategy` may be
 *  null. */
sartor_status sartor_explore(sartor_runtime *runtime, const sartor_objective *objective,
                             const char *options, const sartor_strategy_functions *strategy,
                             char **decision);

typedef struct sartor_explorer sartor_explorer;

/** Explores and detects changes in the background until sartor_explorer_stop(). Close the runtime
 *  after freeing the explorer. */
sartor_status sartor_explorer_start(sartor_runtime *runtime, const sartor_objective *objective,
                                    const char *options, const sartor_strategy_functions *strategy,
                                    sartor_explorer **out);
/** The last decision; *decision is null before the first. */
sartor_status sartor_explorer_decision(sartor_explorer *explorer, char **decision);
/** Stops after the current sample. An earlier decision stays active. */
sartor_status sartor_explorer_stop(sartor_explorer *explorer);
/** Stops, too. Null is allowed. */
void sartor_explorer_free(sartor_explorer *explorer);

/** Ends explorations, and the weighing of quasi-invariants, from another thread. It must outlive
 *  them. */
typedef struct sartor_stop sartor_stop;
/** Free it with sartor_stop_free(). */
sartor_status sartor_stop_make(sartor_stop **out);
/** Requests the stop permanently: operations that receive it later end at once. */
sartor_status sartor_stop_request(sartor_stop *stop);
/** Null is allowed. */
void sartor_stop_free(sartor_stop *stop);

/** Further functions of the program that an explorer calls. Null selects a default. */
typedef struct {
  const sartor_strategy_functions *strategy; /**< Copied. */
  /** Returns the program's name for its present workload (ExplorerOptions::signature); may be
   *  empty or null. It must stay unchanged until the next call. */
  const char *(*signature)(void *user);
  void *user; /**< For `signature`. */
} sartor_explorer_functions;
/** Creates an explorer that is not started. `options` and `functions` may be null. */
sartor_status sartor_explorer_make(sartor_runtime *runtime, const sartor_objective *objective,
                                   const char *options, const sartor_explorer_functions *functions,
                                   sartor_explorer **out);
/** Explores and detects changes in the background until sartor_explorer_stop(). */
sartor_status sartor_explorer_begin(sartor_explorer *explorer);
/** Runs one exploration on the calling thread; not while it works in the background. *decision is
 *  null if `stop`, which may be null, ended it: the previous configuration has been restored
 *  then. */
sartor_status sartor_explorer_explore(sartor_explorer *explorer, const sartor_stop *stop,
                                      char **decision);
/** Number of completed explorations; 0 for null. */
size_t sartor_explorer_explorations(const sartor_explorer *explorer);
/** The search space that it chooses from. */
sartor_status sartor_explorer_space(const sartor_explorer *explorer, char **space);
/** The available options, see ExplorerOptions::describe(). */
sartor_status sartor_explorer_options(char **json);

/** Weighs a quasi-invariant (economy.hpp), on the calling thread: its gain against its cost, as
 *  JSON, to be freed with sartor_free(). `options` as for sartor_explore(), or null. A
 *  quasi-invariant that is not worth its cost does not become valid for `leave_alone_for`
 *  seconds; 0: it is not suspended. */
sartor_status sartor_quasi_invariant_weigh(sartor_runtime *runtime,
                                           const sartor_quasi_invariant *quasi_invariant,
                                           const sartor_objective *objective, const char *options,
                                           double leave_alone_for, char **economy);
/** The same until `stop` is requested. */
sartor_status sartor_quasi_invariant_weigh_until(sartor_runtime *runtime,
                                                 const sartor_quasi_invariant *quasi_invariant,
                                                 const sartor_objective *objective,
                                                 const char *options, double leave_alone_for,
                                                 const sartor_stop *stop, char **economy);

/** The search space of an exploration with these options. */
sartor_status sartor_search_space(sartor_runtime *runtime, const char *options, char **space);

/** A built-in strategy, for programs that measure by themselves. Use it from one thread at a
 *  time. */
typedef struct sartor_strategy sartor_strategy;

/** `name` as in strategies.hpp; `options` e.g. `{"most_trials":100,"seed":1}`, or null. */
sartor_status sartor_strategy_make(const char *name, const char *space, const char *options,
                                   sartor_strategy **out);
/** The strategy of race.hpp; `configurations` is a list, `options` the fields of RaceOptions by
 *  name, or null. */
sartor_status sartor_strategy_race(const char *configurations, const char *options,
                                   sartor_strategy **out);
/** The strategy of fleet.hpp; `options` as for "fleet" of sartor_explore(). `runtime` must
 *  outlive it. */
sartor_status sartor_strategy_fleet(const sartor_runtime *runtime, const char *space,
                                    const char *options, sartor_strategy **out);
/** The maximum number of samples of a trial (Strategy::sample_count()); 0 for null. */
size_t sartor_strategy_sample_count(const sartor_strategy *strategy);
/** *configuration is null when there is nothing to try. */
sartor_status sartor_strategy_ask(sartor_strategy *strategy, char **configuration);
sartor_status sartor_strategy_tell(sartor_strategy *strategy, const char *trial);
sartor_status sartor_strategy_best(sartor_strategy *strategy, char **decision);
/** Null is allowed. */
void sartor_strategy_free(sartor_strategy *strategy);

#ifdef __cplusplus
}
#endif

#endif
