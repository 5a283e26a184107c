// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_TOP_WATCHER_H
#define SARTOR_TOOLS_CLI_LIVE_TOP_WATCHER_H

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "tools/cli/live/connection.h"
#include "tools/cli/live/top/recent_events.h"
#include "tools/cli/live/top/samples.h"
#include "tools/cli/live/top/view.h"

namespace sartor::cli {

/// Takes snapshots of a running program.
class Watcher {
public:
  /// Fails with file_error.
  static Result<Watcher> open(pid_t process);

  /// Fails with file_error if the program has ended.
  Result<Snapshot> look();
  [[nodiscard]] Connection &connection() { return connection_; }

private:
  Watcher(pid_t process, Connection connection);
  Result<void> read_events();
  Result<void> find_code(const nlohmann::ordered_json &status);
  [[nodiscard]] std::map<std::string, double> shares();

  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Connection connection_;
  std::optional<Samples> samples_;
  std::string no_samples_;
  std::uint64_t next_event_ = 0;
  RecentEvents events_;
  /// The handler and the end of the code that begins at an address.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> code_;
  std::optional<std::uint64_t> known_code_; ///< variants_mark() of `code_`.
};

} // namespace sartor::cli

#endif
