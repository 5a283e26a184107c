// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_PROGRAM_SOURCE_H
#define SARTOR_TOOLS_VIEW_PROGRAM_SOURCE_H

#include <optional>
#include <utility>

#include <sys/types.h>

#include "tools/cli/live/connection.h"
#include "tools/view/event_lines.h"
#include "tools/view/source.h"

namespace sartor::view {

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
