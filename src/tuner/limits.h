// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_LIMITS_H
#define SARTOR_TUNER_LIMITS_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

/// \file Every number by which exploring and change detection decide, by topic, with its origin.
/// The benchmarks of exploring print a hash of this file with their figures: if you change a
/// number, measure the figures that depend on it again. The origin is one of these:
///
/// - *theory*: it follows from, or is a convention of, the cited source.
/// - *tuned*: the best of several on recordings or programs, which are named.
/// - *chosen*: a number that seemed right, sometimes with programs in view, which are named; it has
///   not been shown that another would not be better.
///
/// A number that was tuned or chosen with a program in view proves nothing about that program; an
/// independent test takes others.

namespace sartor::limits {

// Exploring: from the first trial to the decision.

/// Number of configurations compiled at a time: the next is compiled while the last one has not
/// been fetched yet. Chosen; documented.
inline constexpr std::size_t compiled_at_a_time = 2;
/// Number of workloads whose best configurations are remembered. Chosen.
inline constexpr std::size_t most_best_known = 64;
/// Number of those that are tried first when another workload is explored. Chosen.
inline constexpr std::size_t most_hints = 4;
/// Samples of each contestant when a remembered configuration is verified. Chosen.
inline constexpr std::size_t most_verifying_samples = 200;
/// Samples of a trial while others are compiled. Chosen.
inline constexpr std::size_t samples_when_ready = 8;
/// Trials between checks for a configuration that is better than the incumbent. Chosen.
inline constexpr std::size_t trials_per_look = 8;
/// Evidence is evaluated after each round, block or sample that adds this part of the existing
/// data. Bounds hold at all times, so this only saves work. Chosen.
inline constexpr std::size_t rounds_with_a_look = 16;
/// Consecutive configurations outside of the space that a strategy may propose. Chosen.
inline constexpr int most_outside = 10;
/// Number of trials with exactly the same score after which the objective counts as constant during
/// a search. Chosen.
inline constexpr std::size_t enough_to_be_constant = 20;
/// The same number when a race has led to a decision. Chosen.
inline constexpr std::size_t fewest_to_be_constant = 4;
/// Nominees that may lose their confirmation before the incumbent stays for good. Each gets half of
/// the remaining error probability, so that more would have little. Chosen.
inline constexpr int most_confirmations = 4;
/// Length of a sample of a confirmation: stalls up to this long are allowed for before the first.
/// Chosen with the programs of bench-explore-truth in view.
inline constexpr std::chrono::nanoseconds confirmed_block = std::chrono::milliseconds(20);
/// Maximum duration of a confirmation as a multiple of the wanted one. Chosen; documented.
inline constexpr double times_as_long = 5;
/// Duration of a confirmation if a percentile is compared or bounded, as a multiple of the time
/// needed without any bad event: most programs have some. Chosen with the simulated servers of
/// test/explore/tails.cpp in view.
inline constexpr double times_to_be_sure = 6;
/// Minimum number of blocks for a statement about bounds. Chosen.
inline constexpr std::size_t fewest_blocks_of_bounds = 20;
/// A workload whose scores are off by this share for this long, in seconds, has changed. The time
/// is as long as change detection takes for shapes, two windows. Chosen.
inline constexpr double moved_by = 0.25, moved_for_good = 4;
/// Number of a configuration's first scores with which later ones are compared. Chosen.
inline constexpr std::size_t earlier_scores = 4;
/// Maximum number of restarts, so that a workload that does not stand still cannot keep a race from
/// ending. Chosen.
inline constexpr int most_new_beginnings = 3;

// Sampling the objective.

/// Interval of checks for a stop request during all waits. Chosen.
inline constexpr std::chrono::nanoseconds stop_nap = std::chrono::milliseconds(5);
/// Below this share of busy time, the program's load and not the active variant decides how much
/// the program does. Chosen with the open loops of bench-explore-truth in view.
inline constexpr double saturated = 0.85;
/// Above this share of time that other programs take, they decide how much the program does.
/// Chosen: the matrix server on two processors, with two busy processes, loses half.
inline constexpr double most_lost = 0.2;
/// Duration of the check whether the program computes all the time. Chosen.
inline constexpr std::chrono::milliseconds look_for_saturation{200};
/// The kernel reports a thread's run-queue waiting time only when the thread runs. A check that
/// ends before that is prolonged, to at most this multiple. Chosen: two seconds without a turn are
/// rare.
inline constexpr int longest_look_for_saturation = 10;
/// Interval of looks for new threads; a thread counts from then on. Chosen.
inline constexpr std::chrono::milliseconds threads_are_found_every{100};
/// Samples in the shortest window, and the shortest sleeps between them: of a gauge, of a
/// histogram, which is large, and of a counter, whose sleeps also have a maximum. Chosen.
inline constexpr int gauge_samples = 10, histogram_samples = 4, counter_samples = 100;
inline constexpr std::chrono::microseconds gauge_nap{100}, histogram_nap{500}, counter_nap{50},
    longest_counter_nap{1000};
/// A counter that moves at least this often in a window needs no finer resolution. Theory: its
/// steps are then an error of 1 %.
inline constexpr double many_events = 100;
/// Number of shortest windows that a counter may take for its first step before it counts as
/// hopeless. Chosen.
inline constexpr int patience = 10;
/// Number of longest windows that a counter may take for two steps. Chosen; documented.
inline constexpr int patience_for_events = 20;
/// Number of longest windows until each quantity of a weighted objective must have been seen.
/// Chosen.
inline constexpr int patience_for_quantity = 20;

// Evidence.

/// The precision of the prior on the effect size. With a small precision, differences of a few
/// deviations are found early, at the price of a bound some per cent wider after a hundred samples.
/// With a large one, small differences are found early. The bound holds for any
/// (always_valid_mean()). Chosen.
inline constexpr double least_precision = 0.1, most_precision = 10;
/// Share of samples trimmed at either end: a convention of robust statistics.
inline constexpr double trimmed_share = 0.1;
/// Deviations from the median beyond which a sample has no more influence: Huber, see
/// robust_mean().
inline constexpr double clipped_deviations = 2.5;
/// If less than this share of the noise is not clipped, the noise model does not apply. Chosen.
inline constexpr double least_kept = 0.5;
/// Minimum number of batches for an estimate of correlation. Chosen.
inline constexpr std::size_t fewest_batches = 12;
/// Correlated noise below this share of the mean is ignored: it cannot change the sign of the sum,
/// even if all of it went one way. Both configurations that are compared have the machine's slow
/// changes in common, and such changes must not hide a large difference. Chosen.
inline constexpr double harmless_noise = 0.125;
/// Standard errors of a correlation above which samples count as dependent. Chosen: a false
/// detection only costs time.
inline constexpr double correlation_errors = 1.5;
/// Stakes as shares of the maximum: from nearly all of it to where it takes thousands of samples to
/// win anything. Theory: any stakes are valid, and a mixture of powers of two is never far from the
/// best of them.
inline constexpr std::array stakes{0.9, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125};
/// Maximum score of a block as a multiple of the overall score: a counter counts in steps. Chosen.
inline constexpr double most_of_a_block = 1.1;
/// Factor by which future values may exceed those seen. Chosen.
inline constexpr double unseen = 1.1;
/// Requests that must be above a percentile, and below it, for a valid percentile. Chosen;
/// documented.
inline constexpr double fewest_beyond = 5;
/// The density at a percentile is estimated over this share of the requests beyond it, to either
/// side. Chosen.
inline constexpr double density_beside = 1.0 / 3;
/// Substitute for a percentile of zero, which has no logarithm.
inline constexpr double least_percentile = 1e-300;
/// Bisection steps to a common limit: to a precision of 1 in 10^12.
inline constexpr int halvings = 40;

// Measuring, and its cost to the program.

/// Number of a configuration's samples that are enough for an estimate. Chosen.
inline constexpr std::size_t samples_to_know = 3;
/// Number of latest samples from which a configuration's score is estimated. Chosen.
inline constexpr std::size_t samples_remembered = 16;
/// Duration of a rest of the program, and number of rests that determine its normal performance.
/// The shortest is some ticks of the scheduler. Chosen; documented.
inline constexpr std::chrono::nanoseconds shortest_rest = std::chrono::milliseconds(20),
                                          longest_rest = std::chrono::milliseconds(50);
inline constexpr std::size_t fewest_rests = 2, most_rests = 8;
/// Part of the budget that is spent; the rest is for costs that no sample shows, such as caches
/// that have to be filled again. Chosen.
inline constexpr double spent_share = 0.9;
/// A sample that can no longer reach this share of the incumbent's score is cut off. A candidate
/// that surely stays below is not raced. Chosen; documented.
inline constexpr double hopeless_share = 0.5;
/// A candidate with less than this share of the incumbent's score does not stay active until the
/// next sample. Chosen.
inline constexpr double harmless_share = 0.95;
/// The first part of a block, from which a lag is estimated, is one of this many. Chosen.
inline constexpr int parts_of_block = 5;
/// The share of the error probability that bounds get: the rest is for comparisons. Theory: errors
/// add up (Boole's inequality); their shares are chosen.
inline constexpr double guarded_share = 0.25;
/// Samples before a lag may be reported. Chosen.
inline constexpr std::size_t lag_samples = 16;
/// Standard errors by which a lag is sure, in all samples and in either direction. It is checked
/// after each sample; leaving out too much does no harm. Chosen.
inline constexpr double lag_sure = 4, lag_likely = 2;
/// Time left out when a lag is first found, which is the longest scheduler tick, and the maximum.
/// Chosen; documented.
inline constexpr std::chrono::nanoseconds least_lag = std::chrono::milliseconds(4),
                                          most_lag = std::chrono::milliseconds(500);
/// Variants closer together, as the log of a ratio, show no lag. Chosen.
inline constexpr double lag_apart = 0.005;
/// Interval between checks of bounds, one of which may be a histogram. Chosen.
inline constexpr std::chrono::milliseconds between_looks{1};
/// Consecutive samples in which a count may decrease. Chosen; documented.
inline constexpr int most_set_back = 3;
/// Consecutive samples of the incumbent in which a gauge may return no number. Chosen; documented.
inline constexpr int most_without_number = 3;
/// Rounds of the first block when calls are measured. Chosen.
inline constexpr std::size_t rounds_of_block = 8;
/// Interval between collections of the threads' measurements. Chosen.
inline constexpr std::chrono::microseconds call_nap{500};
/// A variant whose calls are surely worse than the incumbent's by this share is cut short, whatever
/// was asked for. Chosen.
inline constexpr double cut_behind = 0.25;
/// Number of times that a rotation is restarted after it was ended from outside. Chosen.
inline constexpr int most_rotations = 3;

// Searching, racing, confirming.

/// Maximum number of configurations that are raced. If there are more, they are searched first, and
/// the best `most_finalists` are raced. Chosen; the first is documented.
inline constexpr std::uint64_t most_raced = 64;
inline constexpr std::size_t most_finalists = 4;
/// Share of the error probability with which a candidate is left out of the race because it is
/// surely below `hopeless_share`: a tenth for all candidates. Errors add up (Boole's inequality);
/// the tenth is chosen.
inline constexpr double error_of_hopeless = 0.1 / most_raced;
/// Maximum number of settings of one dimension; a range of 2^64 values is not listed. Chosen.
inline constexpr std::uint64_t most_settings = 4096;
/// Random attempts before it is assumed that constraints allow little. Chosen.
inline constexpr int attempts_at_random = 200;
/// Maximum number of settings tried after that: some milliseconds of work. Chosen.
inline constexpr std::size_t steps_at_random = 20'000;
/// Random attempts that may hit configurations already tried. Chosen.
inline constexpr int attempts_at_untried = 200;
/// Spaces up to this size are listed when random attempts find nothing new. Chosen.
inline constexpr std::size_t most_listed = 4096;
/// Half the width of an interval, in standard errors: 95 % of a normal distribution.
inline constexpr double interval_errors = 1.96;
/// Maximum number of points in which a new start of a local search differs from the best: enough to
/// leave a local optimum, and few enough to keep most of what was found. Chosen.
inline constexpr std::size_t kicked = 3;
/// Random attempts to find a new start that is allowed and not tried yet. Chosen.
inline constexpr int most_kicks = 50;
/// Difference, as a share, for which the bound of a race is optimal. It also holds for others.
/// Chosen.
inline constexpr double likely_difference = 0.1;
/// Minimum noise that is assumed: counters count in steps, and a few batches of equal duration
/// prove nothing. Chosen.
inline constexpr double least_noise = 0.001;
/// Number of samples for which the noise of all pairs together counts, compared with a pair's own.
/// Chosen.
inline constexpr double common_freedom = 10;
/// A runner that may be within this share of the leader stays for this many rounds: after them, an
/// effect in one of ten samples has been seen, at errors of 1 % and more. Chosen with the programs
/// of bench-explore-truth in view.
inline constexpr double near = 0.25;
inline constexpr std::size_t rounds_if_near = 50;
/// In a confirmation, a contestant that is surely worse by this share runs in one of
/// `rounds_of_far` rounds: it costs more than its samples are worth. Chosen.
inline constexpr double far_behind = 0.25;
inline constexpr std::size_t rounds_of_far = 8;
/// Number of such a contestant's samples that are enough. Chosen.
inline constexpr std::size_t enough_of_far = 12;
/// Minimum number of blocks of each contestant, however long they last, and the number after which
/// the confirmation ends in any case. Chosen.
inline constexpr std::size_t fewest_rounds = 20, most_rounds = 20'000;

// Parts that are explored by the calls of their handlers.

/// Configurations measured at a time while a part is searched: the results determine the next ones.
/// Chosen.
inline constexpr std::size_t searched_at_once = 4;
/// Maximum duration of a part's search, and of its race, as a multiple of that of a confirmation;
/// an undecided part stays as it is. As `times_as_long`; documented.
inline constexpr double longest_part = 5;
/// A handler with fewer samples of each configuration in that time is called too seldom. Chosen.
inline constexpr std::size_t fewest_samples_of_part = 10;
/// Rounds of a sample. Samples are short: a race runs for some dozens of them in any case, and all
/// parts must wait for the last. Chosen.
inline constexpr std::size_t rounds_of_sample = 2;

// Persistence.

/// Size in bytes at which a file of best-known configurations is compacted, down to half of that:
/// some hundred lines, or thousand. Chosen; documented.
inline constexpr std::uintmax_t best_known_file_is_long = 1U << 20U;
/// Maximum number of one configuration's samples in one event, unless they took this long, in
/// seconds. Chosen: logs that a person can read.
inline constexpr std::size_t samples_per_event = 32;
inline constexpr double seconds_per_event = 0.1;

// Change detection. "Tuned" means: on the first half of bench/noise/hour.noise and on
// batch.watched. The noise of the other recordings and the generator of the tests were looked at,
// too, so none of them is an independent test. Numbers without an origin are chosen.

// Change detection: guarantees.

/// Expected false alarms by cost for each decision, and for each hour of change detection; shapes
/// have as many again.
inline constexpr double error_per_decision = 0.004;
inline constexpr double error_per_hour = 0.02;
/// Smallest loss against the rival that is looked for, as a ratio of costs. Smaller than an
/// improvement that makes a service worth tuning; larger than the shifts between variants that
/// neighbours on a machine cause.
inline constexpr double wanted_shift = 1.15;
/// Shifts of twice, four times, ... the size are looked for up to this, as a logarithm.
inline constexpr double largest_shift = 3;

// Change detection: sampling costs.

/// Duration of a sample: the shortest of which a tick of the scheduler (4 ms at most) is a small
/// part. The active configuration is also sampled for this long on either side of a rival's sample:
/// 6 ms, the earlier value, made the noise of the recorded matrix server's pairs twice as large.
inline constexpr std::chrono::milliseconds sample{25};
/// Minimum seconds between pairs: closer pairs see the same neighbours. Tuned.
inline constexpr double pairs_apart = 0.12;
/// When calls are measured: samples in a window, and rounds in a sample; a few hundred calls a
/// window.
inline constexpr int call_samples = 4;
inline constexpr std::size_t call_rounds = 2;
/// Rounds of a pair.
inline constexpr std::size_t call_pair_rounds = 8;
/// Looks at the cost of requests so far in a sample.
inline constexpr int looks_in_sample = 10;

// Change detection: cost of the rival.

/// Budget is saved for this long, so that a warning can be checked.
inline constexpr std::chrono::seconds saved_for{300};
/// Share of the saved budget that is reserved for warnings; the excess goes into routine checks.
/// Tuned.
inline constexpr double kept_back = 0.35;
/// A rival this much dearer is noticeable for users: its time counts in full, because requests in
/// it are among the slowest.
inline constexpr double noticeable = 0.02;

// Change detection: amount of evidence required.

/// Pairs in a batch, the unit of evidence: enough that batches are nearly normal.
inline constexpr std::size_t pairs_in_batch = 8;
/// Minimum number of batches for any statement.
inline constexpr std::size_t first_batches = 10;
/// Consecutive batches whose means show the correlation.
inline constexpr std::size_t stretch = 5;
/// Number of latest batches with which a change may have begun.
inline constexpr std::size_t most_batches = 60;
/// Number of batches that are kept.
inline constexpr std::size_t batches_kept = 160;
/// Evidence against lost ground that ends a warning: odds of 1 to 20.
inline constexpr double refuted = -3;
/// Lower limit for the deviation of a batch's logarithm on any machine.
inline constexpr double least_deviation = 0.01;
/// Prior for the factor by which the correlation of successive batches inflates the variance of
/// their mean, and the number of stretches that it counts for. Tuned.
inline constexpr double prior_inflation = 2.5;
inline constexpr double prior_stretches = 4;
/// If the rival's costs differ by more than this, as a logarithm, the machine has changed. The
/// share `sensitivity` of the excess may then have moved the active configuration and its rival
/// apart. Tuned.
inline constexpr double same_machine = 0.14;
inline constexpr double sensitivity = 0.35;
/// Shares of the remaining error probability that the next batch and a warning take.
inline constexpr double error_of_batch = 1.0 / 32;
inline constexpr double error_of_warning = 0.25;
/// Maximum evidence of one batch, as a logarithm: proof enough, and no overflow.
inline constexpr double most_log_odds = 300;

// Change detection: warnings. A warning is no alarm, so these numbers only distribute the budget.

/// Samples whose middle is one cost: half a second.
inline constexpr std::size_t samples_in_batch = 20;
/// Costs before the first warning is possible.
inline constexpr std::size_t costs_to_know = 8;
/// Evidence for a warning, by Page's test; it grows up to the second number when warnings were not
/// confirmed.
inline constexpr double warning_threshold = 6;
inline constexpr double most_warning_threshold = 60;
/// Maximum contribution of one sample, so that a burst of foreign load causes no warning.
inline constexpr double most_of_a_sample = 1.5;
/// Evidence, from routine pairs, of a change at the likeliest moment that causes a warning.
inline constexpr double warning_by_pairs = 2.5;
inline constexpr double warning_grows = 1.25;
/// Factor by sample: the threshold is back at its first value in some minutes.
inline constexpr double warning_shrinks = 0.997;
/// Consecutive pairs or samples without a number after which a check is abandoned.
inline constexpr std::size_t most_fruitless = 3;
/// Samples until the next check after that: ten seconds.
inline constexpr std::size_t rest_after_nothing = 400;

// Change detection: shapes.

/// Values with a smaller share are merged: a sketch knows little of them.
inline constexpr double rare = 0.01;
/// The probability that a window of the same workload is classified as unlike, over all points; two
/// in a row are a change. For independent windows, that is 2e-5 an hour; if they are all alike,
/// 0.2.
inline constexpr double unlike = 1e-4;
/// A change of a smaller share of values is not another workload, however sure.
inline constexpr double smallest_change = 0.1;
/// Independent sightings that a point must have in a window.
inline constexpr double enough_sightings = 20;
/// Before the usual difference between windows is known: a frequently passed point belongs to
/// another workload if this share of its inputs was not seen while the decision was made.
inline constexpr double wholly_unlike = 0.5;
/// Looks for new inputs in a window: these need not wait for two windows.
inline constexpr int looks_in_window = 10;
/// Consecutive looks with few new inputs before a point can report novelty: a second.
inline constexpr int calm_looks = 5;
/// Windows before a point can be classified as unlike, and windows from which the usual misfit is
/// estimated.
inline constexpr std::size_t windows_to_know = 3;
inline constexpr std::size_t windows_kept = 64;
/// Memory of the reference, in windows.
inline constexpr double reference_windows = 20;
/// Weight of the theory of independent sightings, in windows, against the windows seen.
inline constexpr double theory_weight = 8;
/// Assumed number of sightings for one independent one before it is estimated: sessions of five.
inline constexpr double unknown_spread = 10;

// Change detection: signatures.

/// Workloads differ if this share of values has changed at some point,
inline constexpr double another_workload = 0.2;
/// and the probability of that by chance, over all points, is below this.
inline constexpr double surely_another = 0.01;

// Change detection: changes that follow one another.

/// Windows without a change after which the delay ends, and the longest delay. Documented.
inline constexpr int calm_windows = 15, most_windows_held = 64;

} // namespace sartor::limits

#endif
