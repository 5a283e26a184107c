// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_LIMITS_H
#define SARTOR_EXPLORE_WATCH_LIMITS_H

#include <chrono>
#include <cstddef>

/// \file
/// Every limit of the watch, with where it comes from. bench-change prints a hash of this file with
/// its figures: whoever changes a number here takes all of them anew. "Tuned" is: on the first half
/// of bench/noise/hour.noise and on matrix.watched, while the noise of the other recordings and the
/// generator of the tests were looked at, too: none of them is untouched. An independent test takes
/// recordings of other programs and machines.

namespace sartor::limits {

// What is promised.

/// False alarms by cost that a decision, and an hour of watching, may have; shapes have as many
/// again. Together half of what the documentation states: noise is not as the tests take it.
inline constexpr double error_per_decision = 0.004;
inline constexpr double error_per_hour = 0.02;
/// What is looked for: ground lost to the rival, as a ratio of costs. Smaller than what makes a
/// service worth tuning; larger than what neighbours on a machine move variants apart by.
inline constexpr double wanted_shift = 1.15;
/// Shifts twice, four times, ... as large are looked for up to this, as a logarithm.
inline constexpr double largest_shift = 3;

// How costs are read.

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

// What the rival may cost.

/// Budget is saved for so long: for the check of a suspicion.
inline constexpr std::chrono::seconds saved_for{300};
/// So much of it is left to suspicions; what is more goes into checks that nothing but time gives
/// rise to. Tuned.
inline constexpr double kept_back = 0.35;
/// A rival this much dearer is noticed by those who wait for it: its time counts in full, because
/// it is time in which requests are among the slowest.
inline constexpr double noticeable = 0.02;

// How much is a proof.

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

// What makes a suspicion. None is an alarm, so these only share out the budget.

/// Beats that make one sample: half a second.
inline constexpr std::size_t beats_in_batch = 20;
/// Samples before anything is suspected.
inline constexpr std::size_t costs_to_know = 8;
/// Evidence for it, by Page's test; more when the last ones came to nothing, up to the second.
inline constexpr double suspicion = 6;
inline constexpr double most_suspicion = 60;
/// Of a change at the likeliest moment, by the pairs that routine has bought.
inline constexpr double suspicion_by_pairs = 2.5;
inline constexpr double suspicion_grows = 1.25;
/// By sample: back to the first in some minutes.
inline constexpr double suspicion_shrinks = 0.997;
/// Pairs or beats in a row that gave no number, after which a check is given up.
inline constexpr std::size_t most_fruitless = 3;
/// Beats after that in which there is no other: ten seconds.
inline constexpr std::size_t rest_after_nothing = 400;

// Shapes.

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

// Signatures.

/// Workloads differ if at some point this share of values has changed, ...
inline constexpr double another_workload = 0.2;
/// ... and that is no chance, over all points.
inline constexpr double surely_another = 0.01;

} // namespace sartor::limits

#endif
