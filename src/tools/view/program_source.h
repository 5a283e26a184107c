// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_PROGRAM_SOURCE_H
#define SARTOR_TOOLS_VIEW_PROGRAM_SOURCE_H

#include <optional>

#include <sys/types.h>

#include "tools/cli/live/connection.h"
#include "tools/view/source.h"

namespace sartor::view {

/// Asks a running program.
class ProgramSource : public Source {
public:
  explicit ProgramSource(pid_t process) : process_(process) {}

  Result<std::string> events(std::uint64_t after) override;

  /// The program's answer to `status`, with `variants` in each runtime.
  Result<nlohmann::ordered_json> status();

private:
  /// Connects again after the connection was lost.
  Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json &request);
  /// Asks for variants if they have changed.
  Result<void> read_variants(const nlohmann::ordered_json &status);

  pid_t process_;
  std::optional<cli::Connection> connection_;
  nlohmann::ordered_json variants_ = nlohmann::ordered_json::array();
  std::optional<std::uint64_t> known_; ///< cli::variants_mark() of `variants_`.
};

} // namespace sartor::view

#endif
