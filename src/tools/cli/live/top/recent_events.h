// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_TOP_RECENT_EVENTS_H
#define SARTOR_TOOLS_CLI_LIVE_TOP_RECENT_EVENTS_H

#include <cstdint>
#include <deque>
#include <string>

#include <nlohmann/json.hpp>

namespace sartor::cli {

/// The latest events of a program, as `sartor top` shows them. Events that differ in their time
/// only are one line, with the time of the latest and their number.
class RecentEvents {
public:
  struct Line {
    double seconds = 0; ///< The time of the event.
    std::string kind;   ///< `difference`.
    std::string words;  ///< The rest of it.
    std::uint64_t times = 1;

    /// `    12.345  failure            blend{B=16}: … x 3`.
    [[nodiscard]] std::string text() const;
    /// True if a variant gave a wrong result or crashed.
    [[nodiscard]] bool is_alarming() const { return kind == "difference" || kind == "crashed"; }
  };

  /// Leaves out events that are too frequent to be read.
  void add(const nlohmann::ordered_json &event);
  /// The newest last.
  [[nodiscard]] const std::deque<Line> &lines() const { return lines_; }

private:
  std::deque<Line> lines_;
};

} // namespace sartor::cli

#endif
