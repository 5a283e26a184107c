// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_TOP_VIEW_H
#define SARTOR_TOOLS_CLI_LIVE_TOP_VIEW_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/cli/live/top/recent_events.h"

namespace sartor::cli {

/// The state of a process that `sartor top` knows at one time.
struct Snapshot {
  double seconds = 0; ///< When it was taken.
  nlohmann::ordered_json status;
  /// Share of the samples in user mode by handler; nothing if the kernel gives none.
  std::optional<std::map<std::string, double>> shares;
  std::string no_samples;                ///< The reason for that.
  std::deque<RecentEvents::Line> events; ///< The newest last.
};

/// A line of the view.
struct Line {
  enum class Kind : unsigned char { plain, heading, off, selected };

  std::string text;
  Kind kind = Kind::plain;
};

/// Lays out a snapshot in at most `width` columns and, unless it is 0, `height` lines. Rates are
/// those since `before`. `selected` is the number of a handler.
std::vector<Line> view(const Snapshot &now, const Snapshot *before, std::size_t width,
                       std::size_t height, std::optional<std::size_t> selected);

/// The name of the handler in this row of the view; empty if there is none.
std::string handler_at(const nlohmann::ordered_json &status, std::size_t row);

} // namespace sartor::cli

#endif
