// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FORMAT_PLANNER_PROTOCOL_H
#define SARTOR_LOADER_LIB_FORMAT_PLANNER_PROTOCOL_H

/// How the front and `sartor-ld-plan` speak with each other.
namespace sartor::loader::planner {

// How it ends.
inline constexpr int is_written = 0; ///< There is an image.
inline constexpr int is_stock = 1;   ///< The stock loader is to start the program.
inline constexpr int is_refused = 3; ///< It must not be started.
inline constexpr int is_busy = 4;    ///< Somebody else plans it.
inline constexpr int is_missing = 5; ///< There is nobody who plans.

/// The last byte of what it writes, from which the front hears the same: it is not its parent.
constexpr char status(int end) { return static_cast<char>(end + 1); }
constexpr bool is_status(char last) {
  return last >= status(is_written) && last <= status(is_missing);
}

/// Before the names of variables that tell the stock loader of the program what to do.
inline constexpr const char *held = "SARTOR_HELD_";

} // namespace sartor::loader::planner

#endif
