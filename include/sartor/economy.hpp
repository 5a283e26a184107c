// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ECONOMY_HPP
#define SARTOR_ECONOMY_HPP

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

#include <sartor/explorer.hpp>
#include <sartor/objective.hpp>
#include <sartor/quasi_invariant.hpp>
#include <sartor/runtime.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// The verdict on whether a quasi-invariant is worth its cost.
enum class Worth : std::uint8_t { worth_it, not_worth_it, not_sure };

/// Gain and cost of a quasi-invariant, from one invalidation to the next, in seconds of processor
/// time: it is worth its cost if `gain_per_call` × `calls_between_invalidations` is more than
/// `specializing` + `guarding` + `invalidating` (C. Pu et al., "Optimistic Incremental
/// Specialization", SOSP 1995). A call is one unit of the objective, or one second if the objective
/// counts nothing. The intervals are valid jointly at the stated error; an infinite end means that
/// nothing is known in that direction.
struct Economy {
  std::string quasi_invariant;
  std::string objective;
  Worth worth = Worth::not_sure;
  /// The reason why `worth` is not_sure or the estimates are wide; empty if nothing is missing.
  std::string missing;

  /// Relative increase of the objective while the quasi-invariant is active; measured with
  /// interleaved samples. With no samples, nothing is known.
  Estimate gain;
  Estimate gain_per_call;
  Estimate calls_between_invalidations;
  Estimate benefit; ///< The product of the two.

  double specializing = 0; ///< Time to make the variants that depend on it, divided by the number
                           ///< of times it became valid.
  Estimate guarding;       ///< Time of stores that called a write guard, of any quasi-invariant.
  Estimate invalidating;   ///< Time a writer waits until it may store.
  Estimate cost;           ///< The sum of these.

  // Inputs of the estimates, counted since the quasi-invariant was last weighed, if it was.
  double calls_per_second = 0; ///< While the quasi-invariant was active.
  double processors = 0;       ///< Average number that the program had while it was not active.
  double seconds_valid = 0;
  std::uint64_t invalidated = 0;
  std::uint64_t held = 0;
  std::uint64_t made = 0;        ///< Variants that depend on it.
  double seconds_left_alone = 0; ///< Time for which it will not be valid; 0: not suspended.

  /// All fields as JSON, as in the event `economy`.
  [[nodiscard]] std::string json() const;
};

struct EconomyOptions {
  /// Options for sampling: `error_probability`, `confirm_for`, `regression_budget`, `sample_time`,
  /// `longest_sample_time`, `events_per_sample` and `settle` are used.
  ExplorerOptions windows = {};
  /// Time for which a quasi-invariant that is not worth its cost does not become valid. Zero: it is
  /// not suspended.
  std::chrono::nanoseconds leave_alone_for{};
};

/// Weighs a quasi-invariant in a running program, on the calling thread, which mostly sleeps. In
/// interleaved samples, the quasi-invariant is active, or inactive as if it had been invalidated;
/// nothing is written. Ends when the answer is sure, after at most five times `confirm_for`, or
/// when stopped; the quasi-invariant is then active as before. Writes the event `economy`. Returns
/// not_sure without measuring if the runtime is not active. Throws bad_objective (none; or the cost
/// of a call, which has no samples), already_exploring, called_from_handler, bad_invariant (the
/// quasi-invariant was destroyed meanwhile), and exceptions of the objective's functions. The
/// memory of the quasi-invariant must outlive this call; the quasi-invariant need not.
Economy weigh(Runtime &runtime, const QuasiInvariant &quasi_invariant, const Objective &objective,
              const EconomyOptions &options = {}, const std::stop_token &stop = {});

} // namespace sartor

#endif
