// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_EXPLORATION_H
#define SARTOR_EXPLORE_EXPLORATION_H

#include <chrono>
#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include <sartor/explorer.hpp>

#include "explore/window.h"

namespace sartor {

/// One search for the best configuration, from the first trial to the decision. For use by one
/// thread; what it is made from must outlive it.
class Exploration {
public:
  Exploration(Runtime &runtime, const Objective &objective, const ExplorerOptions &options,
              const SearchSpace &space, std::uint64_t seed);

  /// Puts the best configuration in force and returns the decision, or nothing if stopped; the best
  /// so far is in force then. Throws what `objective.read` or the user's strategy does, and what
  /// Runtime::specialize() does for the chosen configuration; what was in force before is again.
  std::optional<Decision> run(const std::stop_token &stop);

private:
  enum class Outcome { sure, stopped, workload_changed };

  Outcome race_once(Strategy &strategy, const std::stop_token &stop);
  std::optional<Trial> try_out(const Configuration &configuration, const std::stop_token &stop);
  void prepare_some();
  bool workload_moved(const Trial &trial);
  void log_failure(const Configuration &configuration, const std::string &why) const;

  Runtime &runtime_;
  const Objective &objective_;
  const ExplorerOptions &options_;
  const SearchSpace &space_;
  std::uint64_t seed_;

  std::vector<Configuration> candidates_; ///< All of a small space.
  std::size_t prepared_ = 0;              ///< So many candidates were asked to be compiled.
  std::deque<std::future<std::vector<VariantInfo>>> compiling_;

  bool succeeded_ = false; ///< Some trial has.
  double best_score_ = 0;
  std::unordered_map<Configuration, double> scores_; ///< Of the last trial.
  int moved_direction_ = 0; ///< Where the last trials have gone by much: up (1), down (-1).
  std::chrono::steady_clock::time_point moved_since_; ///< When the first of them did.
};

} // namespace sartor

#endif
