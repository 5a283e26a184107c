// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EXPLORATION_H
#define SARTOR_TUNER_EXPLORATION_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include <sartor/explorer.hpp>

#include "tuner/compiles.h"
#include "tuner/evidence/bounds_seen.h"
#include "tuner/evidence/evidence.h"
#include "tuner/measure/meter.h"
#include "tuner/parts/components.h"
#include "tuner/persistence/trial_log.h"
#include "tuner/persistence/trial_store.h"
#include "tuner/search/race.h"
#include "tuner/trials_so_far.h"
#include "tuner/variants.h"

namespace sartor {

/// One search for the best configuration, from the first trial to the decision. If there are too
/// many configurations to race all of them, a strategy searches first. Its best ones race against
/// the incumbent and the generic code. The leader is confirmed before it may stay active. Each of
/// the three stages is: ask → compile → measure → tell. For use by one thread; the constructor's
/// reference arguments must outlive it.
class Exploration {
public:
  struct Start {
    Configuration incumbent;                    ///< Active at first, and whenever no trial runs.
    std::uint64_t seed = 1;                     ///< Seed of all random choices.
    TrialStore *trial_store = nullptr;          ///< Null: trials are not saved.
    TrialsSoFar *so_far = nullptr;              ///< What operators see of the trials; or null.
    std::vector<Configuration> candidates = {}; ///< Candidates to explore; empty: the whole space.
    /// Candidates that are likely to be good: compiled and tried first.
    std::vector<Configuration> hints = {};
    /// Handlers of each point, by label: points of different handlers are explored by calls of
    /// these handlers. Empty: they are not.
    HandlersOfPoints handlers = {};
  };

  Exploration(Variants &variants, Meter &meter, const Objective &objective,
              const ExplorerOptions &options, const SearchSpace &space, Start start);

  /// Activates the best configuration and returns the decision. If stopped, returns nothing and
  /// restores the incumbent. Throws what the objective's functions throw, what compiling the chosen
  /// configuration throws, and bad_strategy; then the incumbent is also restored.
  std::optional<Decision> run(const std::stop_token &stop);

private:
  enum class Outcome { sure, stopped, workload_changed, lags };
  using Batch = std::vector<Configuration>;

  Outcome explore(const std::stop_token &stop);
  Outcome confirm(const Configuration &nominee, double error_probability,
                  const std::stop_token &stop);
  Outcome watch_bounds(const Configuration &configuration, double error_probability,
                       const std::stop_token &stop);
  [[nodiscard]] double longest_confirmation(std::size_t contestants,
                                            double error_probability) const;
  Outcome take_least_bad(std::vector<Configuration> candidates, std::size_t bound,
                         double error_probability, const std::stop_token &stop);
  Outcome nominate(std::vector<Configuration> &field, const std::stop_token &stop);
  bool explore_parts(Configuration &best, SearchSpace &rest, const std::stop_token &stop);
  [[nodiscard]] std::unique_ptr<Strategy> users_strategy() const;
  [[nodiscard]] std::unique_ptr<Race> race_of(std::vector<Configuration> candidates,
                                              double error_probability) const;
  [[nodiscard]] std::vector<Configuration> best_few(const Strategy &strategy) const;
  void leave_out_hopeless(std::vector<Configuration> &field) const;
  Outcome search(Strategy &strategy, bool in_blocks, const std::stop_token &stop);
  std::optional<Batch> ask(Strategy &strategy, std::size_t sample_count, bool in_blocks);
  void refuse(Strategy &strategy, const Configuration &configuration);
  [[nodiscard]] bool may_be_tried(const Configuration &configuration) const;
  std::optional<std::vector<Trial>> try_out(const Batch &batch, std::size_t sample_count,
                                            bool in_blocks, const std::stop_token &stop);
  bool compile(const Configuration &configuration, const std::stop_token &stop);
  bool make_ready(CompileOrder order, const std::stop_token &stop);
  bool try_ready(std::vector<Configuration> &ready, const std::stop_token &stop);
  bool know_score(std::size_t sample_count, const std::stop_token &stop);
  void adopt_if_better(const Trial &trial);
  void learn(Strategy &strategy, Trial trial, bool is_block);
  [[nodiscard]] bool is_surely_better(const Trial &trial) const;
  void adopt(const Configuration &configuration);
  [[nodiscard]] bool is_constant(std::size_t trials) const;
  bool workload_moved(const Trial &trial);
  void account_for_bounds();
  Decision decide();

  struct Scores {
    std::size_t sample_count = 0; ///< Samples asked for.
    std::optional<double> last;
    std::vector<double> earlier; ///< The first few scores.
  };

  Variants &variants_;
  Meter &meter_;
  const Objective &objective_;
  const ExplorerOptions &options_;
  const SearchSpace &space_;
  const Start start_;
  const bool races_all_; ///< No strategy of the user's, and few configurations.
  TrialLog trials_;
  Compiles compiles_;
  Evidence evidence_; ///< Defines the comparison.
  BoundsSeen bounds_;

  Configuration incumbent_;                          ///< The best so far.
  double incumbent_score_ = 0;                       ///< For trials of several samples.
  std::unordered_map<Configuration, Scores> scores_; ///< Scores of the strategy in use.
  std::optional<Configuration> carried_over_; ///< Asked for while it was already being measured.
  int outside_in_a_row_ = 0;
  Decision decision_; ///< The decision so far.

  std::size_t reported_ = 0; ///< Successful trials.
  double first_score_ = 0;
  bool all_the_same_ = true; ///< All scores were equal.
  double seconds_ = 0;       ///< Seconds of measuring.

  int moved_direction_ = 0; ///< Direction of a large move in the last trials: up (1), down (-1).
  double moved_since_ = 0;  ///< Start of that move, in seconds of measuring.
};

} // namespace sartor

#endif
