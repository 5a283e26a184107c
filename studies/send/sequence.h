// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_SEQUENCE_H
#define SEND_SEQUENCE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sartor::send {

enum class Way : unsigned char { generic, specialized };

/// The results of a sequence of steps.
struct Outcome {
  std::vector<std::uint8_t> seen;      ///< All frames, results and errors, in order.
  std::uint64_t sent = 0;              ///< Number of messages.
  std::uint64_t broken = 0;            ///< Number of invalidated quasi-invariants.
  std::uint64_t refused = 0;           ///< Number of refused option changes.
  std::uint64_t not_refused = 0;       ///< Option changes that should have been refused.
  std::uint64_t times_specialized = 0; ///< How often the specialized code was ready.
  std::vector<std::uint8_t> order;     ///< For steps of two threads: the thread of each step.
};

/// Sends, acknowledges, opens, closes, redirects, changes routes and options, `steps` times, as the
/// seed determines. The frames do not depend on the way. Starts lwIP: once per process.
Outcome run_sequence(std::uint64_t seed, std::size_t steps, Way way);

/// Runs two threads with specialized code: one sends, in rounds that each begin when all
/// quasi-invariants are valid; the other violates them meanwhile.
Outcome run_threads(std::uint64_t seed, std::size_t rounds);
/// Repeats the steps of run_threads() with generic code on one thread, in the same order. The
/// frames are the same.
Outcome run_in_order(std::uint64_t seed, const std::vector<std::uint8_t> &order);

} // namespace sartor::send

#endif
