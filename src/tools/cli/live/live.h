// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_LIVE_H
#define SARTOR_TOOLS_CLI_LIVE_LIVE_H

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// The commands that inspect and control running programs through their control sockets: ps,
/// variants, metrics, off, on, pin, unpin, explore, invalidate, dump.
class LiveCommands {
public:
  explicit LiveCommands(CLI::App &app);

  [[nodiscard]] bool is_meant() const;
  /// Fails with file_error, and the errors that the program answers.
  Result<void> run() const;

private:
  using Run = Result<void> (LiveCommands::*)() const;

  /// Adds a command that takes the number of a process.
  CLI::App *add(CLI::App &app, const char *name, const char *help, Run run, const char *example);
  Result<void> list() const;
  Result<void> variants() const;
  Result<void> metrics() const;
  Result<void> off() const;
  Result<void> on() const;
  Result<void> pin() const;
  Result<void> unpin() const;
  Result<void> explore() const;
  Result<void> invalidate() const;
  Result<void> dump() const;

  std::map<const CLI::App *, Run> commands_;
  std::string process_;
  std::string name_;
  std::string configuration_;
  std::string output_;
  bool permanent_ = false;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
