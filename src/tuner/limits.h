// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_LIMITS_H
#define SARTOR_TUNER_LIMITS_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

/// \file
/// Every number by which exploring and watching decide, by room, with where it comes from. The
/// benches of exploring print a hash of this file with their figures: whoever changes a number
/// takes the figures anew that it has a part in. Where it comes from is one of these:
///
/// - *theory*: it follows, or is a convention, of what is named beside it.
/// - *tuned*: the best of several on recordings or programs, which are named.
/// - *chosen*: a number that seemed right, sometimes with programs in view, which are named; nobody
///   has shown that another would not be better.
///
/// What was tuned or chosen with a program in view proves nothing about that program; an
/// independent test takes others.

namespace sartor::limits {

// Exploring: from the first trial to the decision.

/// Compiled at a time: the next one, while nobody has taken the last one yet. Chosen; documented.
inline constexpr std::size_t compiled_at_a_time = 2;
/// Workloads whose winners are remembered. Chosen.
inline constexpr std::size_t most_winners = 64;
/// Of those, how many are tried first when another workload is explored. Chosen.
inline constexpr std::size_t most_hints = 4;
/// Slices of each contestant, when a remembered winner is verified. Chosen.
inline constexpr std::size_t most_verifying_slices = 200;
/// Slices of a trial while others are compiled. Chosen.
inline constexpr std::size_t slices_when_ready = 8;
/// Trials after which to look whether something better than the incumbent has been found. Chosen.
inline constexpr std::size_t trials_per_look = 8;
/// There is a look at evidence after each round, block or reading that adds this part of what there
/// is. Bounds hold at all times, so this saves work alone. Chosen.
inline constexpr std::size_t rounds_with_a_look = 16;
/// Configurations outside of the space that a strategy may propose in a row. Chosen.
inline constexpr int most_outside = 10;
/// So many trials with exactly the same score say that the objective does not react at all, ...
/// Chosen.
inline constexpr std::size_t enough_to_be_constant = 20;
/// ... and so many that have led to a decision. Chosen.
inline constexpr std::size_t fewest_to_be_constant = 4;
/// Nominees that may lose their confirmation before what was in force stays for good. Each gets
/// half of the error that is left, so that more would have little. Chosen.
inline constexpr int most_confirmations = 4;
/// What is read at a time to confirm: stalls up to this long are allowed for before the first.
/// Chosen with the programs of bench-explore-truth in view.
inline constexpr std::chrono::nanoseconds confirmed_block = std::chrono::milliseconds(20);
/// How many times as long as wanted a confirmation may last. Chosen; documented.
inline constexpr double times_as_long = 5;
/// How many times as long as it takes with nothing bad at all, where a percentile is compared or
/// bounded: most have something. Chosen with the simulated servers of test/explore/tails.cpp in
/// view.
inline constexpr double times_to_be_sure = 6;
/// Blocks that it takes at least to say anything of bounds. Chosen.
inline constexpr std::size_t fewest_blocks_of_bounds = 20;
/// A workload that is off by this share for so long, in seconds, has changed. The time is as long
/// as the watch takes for shapes, two windows. Chosen.
inline constexpr double moved_by = 0.25, moved_for_good = 4;
/// How many of a configuration's first scores later ones are compared with. Chosen.
inline constexpr std::size_t earlier_scores = 4;
/// A workload that does not stand still must not keep a race from ending. Chosen.
inline constexpr int most_new_beginnings = 3;

// Reading the objective.

/// How soon a stop is noticed, wherever time is waited for. Chosen.
inline constexpr std::chrono::nanoseconds stop_nap = std::chrono::milliseconds(5);
/// Below this share, what comes in decides how much a program does, and not the variant in force.
/// Chosen with the open loops of bench-explore-truth in view.
inline constexpr double saturated = 0.85;
/// How long to look whether the program computes all the time. Chosen.
inline constexpr std::chrono::milliseconds look_for_saturation{50};
/// What a thread that waits in line has waited is told when it has its turn: a look that ends
/// before goes on, so many times as long at most. Chosen: half a second without a turn is rare.
inline constexpr int longest_look_for_saturation = 10;
/// Threads that have come since are counted from then on. Chosen.
inline constexpr std::chrono::milliseconds threads_are_found_every{100};
/// Readings in the shortest window, and the shortest naps between them: of a gauge, of a histogram,
/// which is large, and of a counter, whose naps are also no longer than the last. Chosen.
inline constexpr int gauge_readings = 10, histogram_readings = 4, counter_readings = 100;
inline constexpr std::chrono::microseconds gauge_nap{100}, histogram_nap{500}, counter_nap{50},
    longest_counter_nap{1000};
/// A counter that moves at least this often in a window needs no finer look. Theory: its steps are
/// an error of 1 % then.
inline constexpr double many_events = 100;
/// Shortest windows that a counter may take for its first step before it can be called hopeless.
/// Chosen.
inline constexpr int patience = 10;
/// Longest windows that it may take for two of them. Chosen; documented.
inline constexpr int patience_for_events = 20;
/// Longest windows until something has come of each quantity of a weighted objective. Chosen.
inline constexpr int patience_for_quantity = 20;

// Evidence.

/// The precision of the prior on the effect size. Small: differences of a few deviations are found
/// early; the price is a bound some per cent wider after a hundred samples. Large: small ones are.
/// The bound holds for any (always_valid_mean()). Chosen.
inline constexpr double least_precision = 0.1, most_precision = 10;
/// Share of samples trimmed at either end: a convention of robust statistics.
inline constexpr double trimmed_share = 0.1;
/// Deviations from the median beyond which a sample counts no more: Huber, see robust_mean().
inline constexpr double clipped_deviations = 2.5;
/// Noise of which less than this share is not clipped is not what we take it for. Chosen.
inline constexpr double least_kept = 0.5;
/// Fewer batches say nothing of correlation. Chosen.
inline constexpr std::size_t fewest_batches = 12;
/// Standard errors of a correlation above which samples are not independent. Chosen: one may find
/// some where there is none, which costs time alone.
inline constexpr double correlation_errors = 1.5;
/// What is staked, as shares of all that may be: from nearly all of it to where it takes thousands
/// of samples to win anything. Theory: any stakes are valid, and a mixture of powers of two is
/// never far from the best of them.
inline constexpr std::array stakes{0.9, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125};
/// How much more than on the whole something may do in a block: a counter counts in steps. Chosen.
inline constexpr double most_of_a_block = 1.1;
/// What has not been seen yet may exceed what has by this factor. Chosen.
inline constexpr double unseen = 1.1;
/// Requests that must be above a percentile, and below, for it to be one. Chosen; documented.
inline constexpr double fewest_beyond = 5;
/// The density at a percentile is that of so much of the requests beyond it to either side. Chosen.
inline constexpr double density_beside = 1.0 / 3;
/// A percentile may be zero, of which there is no logarithm.
inline constexpr double least_percentile = 1e-300;
/// Steps to a common limit, each of which halves what is left: to 1 in 10^12.
inline constexpr int halvings = 40;

// Measuring, and what it may cost.

/// Slices of a configuration that are enough to go by. Chosen.
inline constexpr std::size_t slices_to_know = 3;
/// The latest slices that say what a configuration scores. Chosen.
inline constexpr std::size_t slices_remembered = 16;
/// How long the program rests at a time, and how many rests say what it can do. The shortest is
/// some ticks of the scheduler. Chosen; documented.
inline constexpr std::chrono::nanoseconds shortest_rest = std::chrono::milliseconds(20),
                                          longest_rest = std::chrono::milliseconds(50);
inline constexpr std::size_t fewest_rests = 2, most_rests = 8;
/// The part of the budget that is spent; the rest is for what no reading shows, as caches that have
/// to be filled again. Chosen.
inline constexpr double spent_share = 0.9;
/// A slice that cannot reach this share of the incumbent's score any more is cut off. Chosen;
/// documented.
inline constexpr double hopeless_share = 0.5;
/// A candidate that does less than this share of what the incumbent does is not left in force
/// until the next slice. Chosen.
inline constexpr double harmless_share = 0.95;
/// A block's first part, by which a lag is found, is one of so many. Chosen.
inline constexpr int parts_of_block = 5;
/// The share of the error that bounds get: the rest is for what is compared. Theory: errors add up
/// (Boole's inequality); how they are shared out is chosen.
inline constexpr double guarded_share = 0.25;
/// Readings before a lag is said, ... Chosen.
inline constexpr std::size_t lag_readings = 16;
/// ... and standard errors by which it is sure, in all and in either direction. There is a look
/// after each, and no harm in leaving out too much. Chosen.
inline constexpr double lag_sure = 4, lag_likely = 2;
/// What is left out at first, a tick of the scheduler at its longest, and at most. Chosen;
/// documented.
inline constexpr std::chrono::nanoseconds least_lag = std::chrono::milliseconds(4),
                                          most_lag = std::chrono::milliseconds(500);
/// Variants closer together, as the log of a ratio, show no lag. Chosen.
inline constexpr double lag_apart = 0.005;
/// Between looks at bounds, of which a histogram may be one. Chosen.
inline constexpr std::chrono::milliseconds between_looks{1};
/// Readings one after the other in which a count may become less. Chosen; documented.
inline constexpr int most_set_back = 3;
/// Slices of the incumbent, one after the other, in which a gauge may give no number. Chosen;
/// documented.
inline constexpr int most_without_number = 3;
/// By calls: rounds of the first block. Chosen.
inline constexpr std::size_t rounds_of_block = 8;
/// Between looks at what threads have measured. Chosen.
inline constexpr std::chrono::microseconds call_nap{500};
/// A variant whose calls surely do less than the incumbent's by this share is cut whatever was
/// asked for. Chosen.
inline constexpr double cut_behind = 0.25;
/// A rotation that somebody ends is begun again, but not for ever. Chosen.
inline constexpr int most_rotations = 3;

// Searching, racing, confirming.

/// So many configurations are raced; more are searched first, and of those so many are raced that
/// were found best. Chosen; the first is documented.
inline constexpr std::uint64_t most_raced = 64;
inline constexpr std::size_t most_finalists = 4;
/// Settings that one dimension may have; a range of 2^64 values is not listed. Chosen.
inline constexpr std::uint64_t most_settings = 4096;
/// Tries before it is taken that constraints leave little. Chosen.
inline constexpr int attempts_at_random = 200;
/// Settings tried then, at most: some milliseconds' worth. Chosen.
inline constexpr std::size_t steps_at_random = 20'000;
/// How often chance may hit on a place that has been tried. Chosen.
inline constexpr int attempts_at_untried = 200;
/// Spaces up to this size are listed when chance finds nothing new. Chosen.
inline constexpr std::size_t most_listed = 4096;
/// Half the width of an interval, in standard errors: 95 % of a normal distribution.
inline constexpr double interval_errors = 1.96;
/// Points that a new start of a local search differs from the best in, at most: enough to leave a
/// local top, and few enough to keep most of what was found. Chosen.
inline constexpr std::size_t kicked = 3;
/// How often chance may hit on a new start that is not allowed or was tried. Chosen.
inline constexpr int most_kicks = 50;
/// Differences that a race is made for, as a share. Its bound holds for others, too. Chosen.
inline constexpr double likely_difference = 0.1;
/// Noise that is taken for granted: counters count in steps, and a few batches that took the same
/// by chance prove nothing. Chosen.
inline constexpr double least_noise = 0.001;
/// For how many samples the noise of all pairs together counts beside a pair's own. Chosen.
inline constexpr double common_freedom = 10;
/// Who may be within this share of the leader stays for so many rounds: what one slice in ten shows
/// has been seen by then, at errors of 1 % and more. Chosen with the programs of
/// bench-explore-truth in view.
inline constexpr double near = 0.25;
inline constexpr std::size_t rounds_if_near = 50;
/// In a confirmation, who is surely worse by so much runs in one round of so many: it costs more
/// than it tells. Chosen.
inline constexpr double far_behind = 0.25;
inline constexpr std::size_t rounds_of_far = 8;
/// ... and what there is of it is enough after so many. Chosen.
inline constexpr std::size_t enough_of_far = 12;
/// Blocks of each, however long they last, and after how many the time ends in any case. Chosen.
inline constexpr std::size_t fewest_rounds = 20, most_rounds = 20'000;

// Parts that are explored by the calls of their handlers.

/// Measured at a time while a part is searched: what is found decides on what comes next. Chosen.
inline constexpr std::size_t searched_at_once = 4;
/// How many times as long as a confirmation a search may last, and a race: what that leaves
/// undecided stays as it is. As `times_as_long`; documented.
inline constexpr double longest_part = 5;
/// Who has had fewer slices of each in that time is called too seldom. Chosen.
inline constexpr std::size_t fewest_slices_of_part = 10;
/// Rounds of a slice. Short ones: a race runs for some dozens of slices in any case, and all parts
/// must wait for the last. Chosen.
inline constexpr std::size_t rounds_of_slice = 2;

// What is kept.

/// A file of winners of so many bytes is made shorter, down to half of that: some hundred lines, or
/// thousand. Chosen; documented.
inline constexpr std::uintmax_t winners_are_long = 1U << 20U;
/// Slices of one configuration that go into one event, unless they took this long, in seconds.
/// Chosen: logs that a person can read.
inline constexpr std::size_t slices_per_event = 32;
inline constexpr double seconds_per_event = 0.1;

// The watch. "Tuned" is: on the first half of bench/noise/hour.noise and on batch.watched, while
// the noise of the other recordings and the generator of the tests were looked at, too: none of
// them is untouched. What says nothing else was chosen.

// The watch: what is promised.

/// False alarms by cost that a decision, and an hour of watching, may have; shapes have as many
/// again. Together half of what the documentation states: noise is not as the tests take it.
inline constexpr double error_per_decision = 0.004;
inline constexpr double error_per_hour = 0.02;
/// What is looked for: ground lost to the rival, as a ratio of costs. Smaller than what makes a
/// service worth tuning; larger than what neighbours on a machine move variants apart by.
inline constexpr double wanted_shift = 1.15;
/// Shifts twice, four times, ... as large are looked for up to this, as a logarithm.
inline constexpr double largest_shift = 3;

// The watch: how costs are read.

/// As short as beats can be while a tick of the scheduler (4 ms at most) is a small part of them.
/// Also how long what is in force is read on either side of a rival's slice: 6 ms, as it was, made
/// the noise of the recorded matrix server's pairs twice as large.
inline constexpr std::chrono::milliseconds beat{25};
/// Seconds between pairs, at least: those that follow closer see the same neighbours. Tuned.
inline constexpr double pairs_apart = 0.12;
/// By calls: readings in a window, and rounds in a reading; a few hundred calls a window.
inline constexpr int call_readings = 4;
inline constexpr std::size_t call_rounds = 2;
/// Rounds of a pair.
inline constexpr std::size_t call_pair_rounds = 8;
/// Looks in a beat or a slice, for what requests have cost so far.
inline constexpr int looks_in_slice = 10;

// The watch: what the rival may cost.

/// Budget is saved for so long: for the check of a suspicion.
inline constexpr std::chrono::seconds saved_for{300};
/// So much of it is left to suspicions; what is more goes into checks that nothing but time gives
/// rise to. Tuned.
inline constexpr double kept_back = 0.35;
/// A rival this much dearer is noticed by those who wait for it: its time counts in full, because
/// it is time in which requests are among the slowest.
inline constexpr double noticeable = 0.02;

// The watch: how much is a proof.

/// Pairs that make a batch, the unit of evidence: enough that batches are nearly normal.
inline constexpr std::size_t pairs_in_batch = 8;
/// Batches before anything can be said.
inline constexpr std::size_t first_batches = 10;
/// Batches in a row whose means tell of correlation.
inline constexpr std::size_t stretch = 5;
/// The last batches with which a change may have begun.
inline constexpr std::size_t most_batches = 60;
/// The batches that are known.
inline constexpr std::size_t batches_kept = 160;
/// Evidence against lost ground that ends a suspicion: odds of 1 to 20.
inline constexpr double refuted = -3;
/// No machine is quieter, as a deviation of a batch's logarithm.
inline constexpr double least_deviation = 0.01;
/// By how much the correlation of successive batches inflates the variance of their mean, before
/// any are known, and for how many stretches that counts. Tuned.
inline constexpr double prior_inflation = 2.5;
inline constexpr double prior_stretches = 4;
/// A machine on which the rival's costs differ by more than this, as a logarithm, is another, and
/// may move what is in force and its rival apart by so large a share of what is more. Tuned.
inline constexpr double same_machine = 0.14;
inline constexpr double sensitivity = 0.35;
/// Of the error that is left, what the next batch takes and what a suspicion does.
inline constexpr double error_of_batch = 1.0 / 32;
inline constexpr double error_of_suspicion = 0.25;
/// Evidence of one batch that is proof enough, as a logarithm, and no overflow.
inline constexpr double most_log_odds = 300;

// The watch: what makes a suspicion. None is an alarm, so these only share out the budget.

/// Beats that make one sample: half a second.
inline constexpr std::size_t beats_in_batch = 20;
/// Samples before anything is suspected.
inline constexpr std::size_t costs_to_know = 8;
/// Evidence for it, by Page's test; more when the last ones came to nothing, up to the second.
inline constexpr double suspicion = 6;
inline constexpr double most_suspicion = 60;
/// One sample adds so much at most: a burst of foreign load is no suspicion.
inline constexpr double most_of_a_sample = 1.5;
/// Of a change at the likeliest moment, by the pairs that routine has bought.
inline constexpr double suspicion_by_pairs = 2.5;
inline constexpr double suspicion_grows = 1.25;
/// By sample: back to the first in some minutes.
inline constexpr double suspicion_shrinks = 0.997;
/// Pairs or beats in a row that gave no number, after which a check is given up.
inline constexpr std::size_t most_fruitless = 3;
/// Beats after that in which there is no other: ten seconds.
inline constexpr std::size_t rest_after_nothing = 400;

// The watch: shapes.

/// What has less than this share is not told apart: a sketch knows little of it.
inline constexpr double rare = 0.01;
/// The chance that a window of the same workload is called unlike, over all points; two in a row
/// are a change. If windows are independent, that is 2e-5 an hour; if they are all alike, 0.2.
inline constexpr double unlike = 1e-4;
/// No smaller share of values changed is another workload, however sure.
inline constexpr double smallest_change = 0.1;
/// Independent sightings that a point must have had in a window.
inline constexpr double enough_sightings = 20;
/// While that is not known, a point at which half of all that comes by is not what came while the
/// decision was made is another workload's, if it was passed often.
inline constexpr double wholly_unlike = 0.5;
/// Besides, so many looks are taken in a window for what was never there: that need not wait for
/// two windows.
inline constexpr int looks_in_window = 10;
/// Looks in a row with little that is new before a point can tell: a second.
inline constexpr int calm_looks = 5;
/// Windows before a point can be unlike anything, and those that tell what is usual.
inline constexpr std::size_t windows_to_know = 3;
inline constexpr std::size_t windows_kept = 64;
/// The reference remembers about so many windows.
inline constexpr double reference_windows = 20;
/// How many windows' worth the theory of independent sightings counts, against what is seen.
inline constexpr double theory_weight = 8;
/// Sightings for one independent one where nothing is known: sessions of five.
inline constexpr double unknown_spread = 10;

// The watch: signatures.

/// Workloads differ if at some point this share of values has changed, ...
inline constexpr double another_workload = 0.2;
/// ... and that is no chance, over all points.
inline constexpr double surely_another = 0.01;

// The watch: changes that follow one another.

/// Windows that a workload stands still for to end the waiting, and the longest wait. Documented.
inline constexpr int calm_windows = 15, most_windows_held = 64;

} // namespace sartor::limits

#endif
