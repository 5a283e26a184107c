// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_SOURCE_H
#define SARTOR_TOOLS_VIEW_SOURCE_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

#include "base/file/file_handle.h"
#include "base/result.h"
#include "tools/cli/live/connection.h"
#include "tools/view/event_lines.h"

namespace sartor::view {

/// Where a live page gets its events from.
class Source {
public:
  virtual ~Source() = default;

  /// Returns the fields of a JSON object: `events` and `names` (EventLines::take()); `next`, to be
  /// given as `after` next time; `more` if there are more already; `restarted` if `events` begin
  /// anew; `lost`, the number of events that are no longer available; `status`, the state of the
  /// program.
  virtual Result<std::string> events(std::uint64_t after) = 0;
};

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

/// Asks a running program.
class ProgramSource : public Source {
public:
  /// `visit` is called for each event.
  ProgramSource(pid_t process, EventLines::Visit visit)
      : process_(process), visit_(std::move(visit)) {}

  Result<std::string> events(std::uint64_t after) override;

  /// The program's answer to `status`, with `variants` in each runtime.
  Result<nlohmann::ordered_json> status();

private:
  /// Connects again after the connection was lost.
  Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json &request);
  /// Asks for variants if they have changed.
  Result<void> read_variants(const nlohmann::ordered_json &status);

  pid_t process_;
  EventLines::Visit visit_;
  std::optional<cli::Connection> connection_;
  nlohmann::ordered_json variants_ = nlohmann::ordered_json::array();
  std::optional<std::uint64_t> known_; ///< cli::variants_mark() of `variants_`.
};

} // namespace sartor::view

#endif
