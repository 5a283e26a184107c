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
#include "tuner/keep/trial_keeper.h"
#include "tuner/keep/trial_log.h"
#include "tuner/measure/meter.h"
#include "tuner/parts/components.h"
#include "tuner/search/race.h"
#include "tuner/variants.h"

namespace sartor {

/// One search for the best configuration, from the first trial to the decision. A strategy searches
/// where there are too many configurations to race them all; what it finds best is raced, against
/// what is in force and the generic code; and who wins is confirmed, before it may stay in force.
/// Each of the three is: ask → compile → measure → tell. For use by one thread; what it is made
/// from must outlive it.
class Exploration {
public:
  struct Start {
    Configuration incumbent;       ///< In force at first, and whenever nothing is being tried.
    std::uint64_t seed = 1;        ///< Of what is done at random.
    TrialKeeper *keeper = nullptr; ///< Null: trials are not kept.
    std::vector<Configuration> candidates = {}; ///< Nothing but these; empty: all of the space.
    /// Of those, what is likely to be good: compiled and tried first.
    std::vector<Configuration> hints = {};
    /// By label: points of different handlers are explored by those's calls. Empty: they are not.
    HandlersOfPoints handlers = {};
  };

  Exploration(Variants &variants, Meter &meter, const Objective &objective,
              const ExplorerOptions &options, const SearchSpace &space, Start start);

  /// Puts the best configuration in force and returns the decision, or nothing if stopped; what was
  /// in force before is again, then. Throws what the objective's functions do, what cannot be had
  /// of the chosen configuration, and bad_strategy; likewise.
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
  Outcome search(Strategy &strategy, bool in_blocks, const std::stop_token &stop);
  std::optional<Batch> ask(Strategy &strategy, std::size_t slices, bool in_blocks);
  void refuse(Strategy &strategy, const Configuration &configuration);
  [[nodiscard]] bool may_be_tried(const Configuration &configuration) const;
  std::optional<std::vector<Trial>> try_out(const Batch &batch, std::size_t slices, bool in_blocks,
                                            const std::stop_token &stop);
  bool compile(const Configuration &configuration, const std::stop_token &stop);
  bool make_ready(CompileOrder order, const std::stop_token &stop);
  bool try_ready(std::vector<Configuration> &ready, const std::stop_token &stop);
  bool know_score(std::size_t slices, const std::stop_token &stop);
  void adopt_if_better(const Trial &trial);
  void learn(Strategy &strategy, Trial trial, bool is_block);
  [[nodiscard]] bool is_surely_better(const Trial &trial) const;
  void adopt(const Configuration &configuration);
  [[nodiscard]] bool is_constant(std::size_t trials) const;
  bool workload_moved(const Trial &trial);
  void account_for_bounds();
  Decision decide();

  struct Scores {
    std::size_t slices = 0; ///< Asked for.
    std::optional<double> last;
    std::vector<double> earlier; ///< The first few.
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
  Evidence evidence_; ///< What is compared.
  BoundsSeen bounds_;

  Configuration incumbent_;                          ///< The best so far.
  double incumbent_score_ = 0;                       ///< Where trials are of several slices.
  std::unordered_map<Configuration, Scores> scores_; ///< By the strategy in use.
  std::optional<Configuration> carried_over_; ///< Asked for while it was already being measured.
  int outside_in_a_row_ = 0;
  Decision decision_; ///< So far.

  std::size_t told_ = 0; ///< Successful trials.
  double first_score_ = 0;
  bool all_the_same_ = true; ///< All their scores.
  double seconds_ = 0;       ///< Of measuring.

  int moved_direction_ = 0; ///< Where the last trials have gone by much: up (1), down (-1).
  double moved_since_ = 0;  ///< When the first of them did, in seconds of measuring.
};

} // namespace sartor

#endif
