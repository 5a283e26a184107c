// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OPTIONS_H
#define SARTOR_TUNER_OPTIONS_H

#include <limits>
#include <string_view>

#include <sartor/explorer.hpp>
#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

#include "base/result.h"

namespace sartor {

/// Allowed values of a number; of a duration, in seconds.
struct Range {
  double above = -std::numeric_limits<double>::infinity();
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
};

/// Description of one of ExplorerOptions, used in JSON, C, Python and docs/reference/options.md.
struct OptionText {
  std::string_view name;
  std::string_view says;
  Range range = {};
};

/// The table of all options that are data: `visit(OptionText, member)` for each, in the order of
/// the documentation. Options that cannot be data (`signature` and `strategy`) are not included.
template <class Options, class Visit> void each_option(Options &options, Visit &&visit) {
  constexpr Range any{}, positive{.above = 0}, not_negative{.least = 0}, at_least_one{.least = 1},
      share{.above = 0, .most = 1}, probability{.above = 0, .below = 1};
  visit(OptionText{"choices",
                   "values to try at points that have none of their own, or instead of their own",
                   any},
        options.choices);
  visit(OptionText{"unguarded",
                   "labels of points where any of their values gives right results, as with a "
                   "block size",
                   any},
        options.unguarded);
  visit(OptionText{"error_probability",
                   "how likely the choice may be worse than the best by more than `tolerance`",
                   probability},
        options.error_probability);
  visit(OptionText{"tolerance", "what share of the best's score is not worth any more slices",
                   not_negative},
        options.tolerance);
  visit(OptionText{"confirm_for",
                   "for how long of measuring the winner is held against what was in force and the "
                   "generic code; up to five times as long if the evidence is not there by then",
                   positive},
        options.confirm_for);
  visit(OptionText{"most_samples",
                   "how many slices one configuration gets in a race at most; the leader is "
                   "nominated then",
                   at_least_one},
        options.most_samples);
  visit(OptionText{"most_trials",
                   "how many configurations are tried where there are too many to race them all",
                   at_least_one},
        options.most_trials);
  visit(OptionText{"regression_budget", "the share of throughput that exploring may cost", share},
        options.regression_budget);
  visit(OptionText{"sample_time", "how long a slice is at least", positive}, options.sample_time);
  visit(OptionText{"events_per_sample",
                   "how often a counter is to move in a slice; the slice is prolonged until it has",
                   not_negative},
        options.events_per_sample);
  visit(OptionText{"longest_sample_time",
                   "how long a slice is prolonged; twenty times as long for one that sees no two "
                   "events",
                   positive},
        options.longest_sample_time);
  visit(OptionText{"settle",
                   "how long the objective lags behind a switch; that much is left out after each. "
                   "Not given: it is found out while confirming, and what was measured before is "
                   "measured again (event `lags`)",
                   not_negative},
        options.settle);
  visit(OptionText{"detect_changes",
                   "watch the program after a decision, and explore again when its workload has "
                   "changed",
                   any},
        options.detect_changes);
  visit(OptionText{"detection_budget", "the share of throughput that watching may cost", share},
        options.detection_budget);
  visit(OptionText{"detection_window",
                   "what profiles are compared over, and what the event log tells", positive},
        options.detection_window);
  visit(OptionText{"journal",
                   "a file in which trials are kept, so that an exploration that was interrupted "
                   "goes on",
                   any},
        options.journal);
  visit(OptionText{"best_known",
                   "a file in which the winner of each workload is kept: the next start tries them "
                   "first",
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
