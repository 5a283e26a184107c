// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FORMAT_PLANNER_PROTOCOL_H
#define SARTOR_LOADER_LIB_FORMAT_PLANNER_PROTOCOL_H

/// The protocol between the front and `sartor-ld-plan`.
namespace sartor::loader::planner {

// Exit statuses of the planner.
inline constexpr int is_written = 0; ///< The image exists.
inline constexpr int is_stock = 1;   ///< The stock loader is to start the program.
inline constexpr int is_refused = 3; ///< The program must not be started.
inline constexpr int is_busy = 4;    ///< Another process is planning the program.
inline constexpr int is_missing = 5; ///< The planner cannot be run.

/// The last byte of the planner's output carries the same status, because the front is not its
/// parent and cannot wait for it.
constexpr char status(int end) { return static_cast<char>(end + 1); }
constexpr bool is_status(char last) {
  return last >= status(is_written) && last <= status(is_missing);
}

// The planner's judgement, in one byte of its output before it plans. A path in a message may
// contain the same bytes: no message precedes the judgement, unless the planner ends without one.
inline constexpr char judged_required = 7; ///< The program starts as planned, or not at all.
inline constexpr char judged_free = 8;     ///< The stock loader may start the program.

/// Prefix of the names of variables that are meant for the stock loader of the program.
inline constexpr const char *held = "SARTOR_HELD_";

} // namespace sartor::loader::planner

#endif
