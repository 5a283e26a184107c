// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_LOG_SOURCE_H
#define SARTOR_TOOLS_VIEW_LOG_SOURCE_H

#include <filesystem>
#include <utility>

#include "tools/view/event_lines.h"
#include "tools/view/source.h"

namespace sartor::view {

/// Follows an event log, also if it is replaced by another file.
class LogSource : public Source {
public:
  /// `visit` is called for each event.
  LogSource(std::filesystem::path log, EventLines::Visit visit)
      : log_(std::move(log)), visit_(std::move(visit)) {}

  Result<std::string> events(std::uint64_t after) override;

private:
  std::filesystem::path log_;
  EventLines::Visit visit_;
};

} // namespace sartor::view

#endif
