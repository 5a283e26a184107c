// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_PROGRAM_SOURCE_H
#define SARTOR_TOOLS_VIEW_PROGRAM_SOURCE_H

#include <optional>

#include <sys/types.h>

#include "tools/view/control_socket.h"
#include "tools/view/source.h"

namespace sartor::view {

/// Asks a running program.
class ProgramSource : public Source {
public:
  explicit ProgramSource(pid_t process) : process_(process) {}

  Result<std::string> events(std::uint64_t after) override;

  /// The program's answer to `status`.
  Result<nlohmann::ordered_json> status();

private:
  /// Connects again after the connection was lost.
  Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json &request);

  pid_t process_;
  std::optional<ControlSocket> socket_;
};

} // namespace sartor::view

#endif
