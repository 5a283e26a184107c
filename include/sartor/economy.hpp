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

/// Whether a fact is worth its price.
enum class Worth : std::uint8_t { worth_it, not_worth_it, not_sure };

/// What a fact brings and what it costs, from one break to the next, in seconds of processor time:
/// it is worth it where `gain_per_call` × `calls_between_breaks` is more than `specializing` +
/// `guarding` + `breaking` (C. Pu et al., "Optimistic Incremental Specialization", SOSP 1995). A
/// call is a unit of the objective; a second, where that counts nothing. Intervals hold together
/// at the stated error; an infinite end says that nothing is known in that direction.
struct Economy {
  std::string fact;
  std::string objective;
  Worth worth = Worth::not_sure;
  /// Why it is not sure, or not better known; empty where nothing is missing.
  std::string missing;

  /// By how much more the objective is while the fact is in force, as a share; measured side by
  /// side. No windows: nothing is known.
  Estimate gain;
  Estimate gain_per_call;
  Estimate calls_between_breaks;
  Estimate benefit; ///< The product of the two.

  double specializing = 0; ///< Making what leans on it, by the times that it came to hold.
  Estimate guarding;       ///< Stores that asked meanwhile, of whatever fact.
  Estimate breaking;       ///< A writer's time, until it may store.
  Estimate cost;           ///< The sum of these.

  // What it was found from: since the fact was last weighed, if it was.
  double calls_per_second = 0; ///< While the fact was in force.
  double processors = 0;       ///< That the program had, on average, while it was not.
  double seconds_held = 0;
  std::uint64_t broken = 0;
  std::uint64_t held = 0;
  std::uint64_t made = 0;        ///< Variants that lean on it.
  double seconds_left_alone = 0; ///< For so long it will not come to hold; 0: it was left as it is.

  /// All of it, as the event `economy` has it.
  [[nodiscard]] std::string json() const;
};

struct EconomyOptions {
  /// How windows are read: `error_probability`, `confirm_for`, `regression_budget`, `slice`,
  /// `longest_slice`, `slice_events` and `settle` are used.
  ExplorerOptions windows = {};
  /// A fact that is not worth it does not come to hold for so long. Zero: it is left as it is.
  std::chrono::nanoseconds leave_alone_for{};
};

/// Weighs a fact in a running program, on the calling thread, which mostly sleeps: in windows side
/// by side, the fact is in force, and is not, as if it had been broken; nothing is written. Ends
/// when the answer is sure, after five times `confirm_for` at most, or when stopped; the fact is
/// then in force as before. Writes the event `economy`. Not sure without measuring: a runtime that
/// is not active. Throws bad_objective (none; or the cost of a call, which has no windows),
/// already_exploring, called_from_handler, bad_invariant (the fact was destroyed meanwhile), and
/// what the objective's functions do. The fact's memory must outlive it, the fact need not.
Economy weigh(Runtime &runtime, const QuasiInvariant &fact, const Objective &objective,
              const EconomyOptions &options = {}, const std::stop_token &stop = {});

} // namespace sartor

#endif
