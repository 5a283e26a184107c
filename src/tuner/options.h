// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OPTIONS_H
#define SARTOR_TUNER_OPTIONS_H

#include <chrono>
#include <string_view>

#include <sartor/explorer.hpp>
#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

#include "base/result.h"
#include "core/json_options.h"

namespace sartor {

/// Description of one of ExplorerOptions, used in JSON, C, Python and docs/reference/options.md.
struct OptionText {
  std::string_view name;
  std::string_view says;
  core::Range range = {};
};

/// The table of all options that are data: `visit(OptionText, member)` for each, in the order of
/// the documentation. Options that cannot be data (`signature` and `strategy`) are not included.
template <class Options, class Visit> void each_option(Options &options, Visit &&visit) {
  // Multiples of longer durations would be out of range of the clock.
  constexpr double year = std::chrono::duration<double>(std::chrono::years(1)).count();
  constexpr core::Range any{}, not_negative{.least = 0}, at_least_one{.least = 1},
      share{.above = 0, .most = 1}, probability{.above = 0, .below = 1},
      duration{.above = 0, .most = year}, duration_or_zero{.least = 0, .most = year};
  visit(OptionText{"choices",
                   "values to try at points that have none of their own, or instead of their own",
                   any},
        options.choices);
  visit(OptionText{"unguarded",
                   "labels of points where all values give correct results, such as a block size",
                   any},
        options.unguarded);
  visit(
      OptionText{"error_probability",
                 "the probability that the choice is worse than the best by more than `tolerance`",
                 probability},
      options.error_probability);
  visit(OptionText{"tolerance", "the share of the best score that is not worth more samples",
                   not_negative},
        options.tolerance);
  visit(OptionText{"confirm_for",
                   "measuring time to compare the best configuration with the previous one and the "
                   "generic code; up to five times as long if the evidence does not suffice",
                   duration},
        options.confirm_for);
  visit(OptionText{"most_samples",
                   "the most samples of one configuration in a race; then the leader is nominated",
                   at_least_one},
        options.most_samples);
  visit(OptionText{"most_trials",
                   "the most configurations to try if there are too many to race all of them",
                   at_least_one},
        options.most_trials);
  visit(OptionText{"regression_budget", "the share of throughput that exploration may cost", share},
        options.regression_budget);
  visit(OptionText{"sample_time", "the shortest sample", duration}, options.sample_time);
  visit(OptionText{"events_per_sample",
                   "the number of events that a sample needs; the sample is prolonged until then",
                   not_negative},
        options.events_per_sample);
  visit(
      OptionText{
          "longest_sample_time",
          "the longest prolonged sample; twenty times as long if it has fewer than two events",
          duration},
      options.longest_sample_time);
  visit(
      OptionText{"settle",
                 "time to discard after each switch, because the objective lags. By default, it "
                 "is found while confirming, and earlier measurements are repeated (event `lags`)",
                 duration_or_zero},
      options.settle);
  visit(OptionText{"detect_changes",
                   "observe the program after a decision, and explore again when its workload has "
                   "changed",
                   any},
        options.detect_changes);
  visit(OptionText{"detection_budget", "the share of throughput that change detection may cost",
                   share},
        options.detection_budget);
  visit(OptionText{"detection_window",
                   "the period over which profiles are compared and reported in the event log",
                   duration},
        options.detection_window);
  visit(OptionText{"journal", "a file of trials, from which an interrupted exploration continues",
                   any},
        options.journal);
  visit(
      OptionText{
          "best_known",
          "a file of the best configuration of each workload; the next start tries them first",
          any},
      options.best_known);
}

/// Fails with bad_objective, which names the option.
Result<void> check(const ExplorerOptions &options);

/// `{"most_trials":100,"seed":1}`. Fails with bad_json.
Result<SearchOptions> search_options_from_json(std::string_view text);
/// The fields of RaceOptions by name. Fails with bad_json.
Result<RaceOptions> race_options_from_json(std::string_view text);

} // namespace sartor

#endif
