// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_AUTOMATIC_AUTOMATIC_LIMITS_H
#define SARTOR_TUNER_AUTOMATIC_AUTOMATIC_LIMITS_H

#include <chrono>
#include <cstddef>
#include <cstdint>

/// \file Every number by which automatic handlers are tuned. All are chosen: none has been tuned on
/// a program.

namespace sartor::automatic_limits {

/// Processor time that a process has used before its automatic handlers are opened: a short program
/// pays nothing. In seconds.
inline constexpr double begin_after = 1;
/// Interval between looks at the processor time, and the longest, of a process that is idle.
inline constexpr std::chrono::milliseconds shortest_nap{20}, longest_nap{1000};
/// A process that uses a smaller share of a processor is idle. Waking takes some time, too.
inline constexpr double idle_share = 0.02;

/// Duration of counting values: until each handler was called this often, and at most this long.
inline constexpr std::uint64_t enough_calls = 500;
inline constexpr std::chrono::milliseconds longest_sampling{1000}, sampling_nap{100};
/// A handler that was not called for this long is not waited for: the others run slower meanwhile.
inline constexpr std::chrono::milliseconds silent_after{200};
/// Handlers whose values are counted at a time: code that counts must be compiled for each.
inline constexpr std::size_t counted_at_once = 16;
/// A handler with fewer calls in the longest sampling is not explored: its calls could not be
/// compared.
inline constexpr std::uint64_t fewest_calls = 8;

/// A value with a smaller share of the calls is not tried.
inline constexpr double least_share = 0.25;
/// Values that are tried at a point.
inline constexpr std::size_t most_values = 2;
/// With more quasi-constant points, no point is tried alone.
inline constexpr std::size_t most_tried_alone = 4;

/// Duration of the confirmation of a handler's best candidate, and the longest wait for its calls.
inline constexpr std::chrono::milliseconds confirm_for{1000}, longest_sample_time{2000};

/// Processor time, in seconds, between two rounds; each next one is twice as long, up to the
/// longest.
inline constexpr double first_rest = 5, longest_rest = 300;

/// A decision of an earlier start is not measured again for so long while values stay the same.
inline constexpr std::chrono::seconds fresh_for = std::chrono::hours(24);
/// A decision with a longer text, in bytes, is not kept.
inline constexpr std::size_t longest_kept = 64U << 10;

} // namespace sartor::automatic_limits

#endif
