// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_SEQUENCE_H
#define SEND_SEQUENCE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sartor::send {

enum class Way : unsigned char { generic, specialized };

/// What became of a sequence of steps.
struct Outcome {
  std::vector<std::uint8_t> seen;      ///< All frames, results and errors, in their order.
  std::uint64_t sent = 0;              ///< Messages.
  std::uint64_t broken = 0;            ///< Facts.
  std::uint64_t refused = 0;           ///< Changes of options.
  std::uint64_t not_refused = 0;       ///< That should have been.
  std::uint64_t times_specialized = 0; ///< That all facts held and the code for them was there.
  std::vector<std::uint8_t> order;     ///< Of steps of two threads: whose each was.
};

/// Sends, acknowledges, opens, closes, redirects, changes routes and options, as the seed has it,
/// `steps` times. What is seen does not depend on the way. Starts lwIP: once in a process.
Outcome run_sequence(std::uint64_t seed, std::size_t steps, Way way);

/// The same by two threads at a time, specialized: one sends, in so many rounds that each begin
/// when all facts hold; the other breaks them meanwhile.
Outcome run_threads(std::uint64_t seed, std::size_t rounds);
/// Their steps once more, generic and one after the other, in the order that they had. What is seen
/// is the same.
Outcome run_in_order(std::uint64_t seed, const std::vector<std::uint8_t> &order);

} // namespace sartor::send

#endif
