// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_LOG_SOURCE_H
#define SARTOR_TOOLS_VIEW_LOG_SOURCE_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file/file_handle.h"
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
  std::optional<base::FileIdentity> file_; ///< The one that was read last.
  /// Position of its beginning in what `after` counts, behind all that were given for earlier
  /// files.
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0; ///< The last position that was given.
};

} // namespace sartor::view

#endif
