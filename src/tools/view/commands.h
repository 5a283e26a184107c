// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_COMMANDS_H
#define SARTOR_TOOLS_VIEW_COMMANDS_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::view {

/// `sartor report`: writes a page about an event log.
class ReportCommand {
public:
  explicit ReportCommand(CLI::App &app);

  /// Fails with file_error, with bad_json if the log has no event, and as handlers_in() does.
  Result<void> run() const;

private:
  std::string log_;
  std::string output_ = "report.html";
  std::string program_;
};

/// `sartor view`: serves a page about a running program, an event log that grows, or a
/// specialization server.
class ViewCommand {
public:
  explicit ViewCommand(CLI::App &app);

  /// Serves until it is interrupted. Fails with file_error, and as handlers_in() does for
  /// --program.
  Result<void> run() const;

private:
  [[nodiscard]] Result<void> run_for_server() const;

  CLI::App *server_;
  std::string address_;
  std::string subject_;
  std::string program_;
};

} // namespace sartor::view

#endif
