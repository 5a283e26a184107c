// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_COMMANDS_H
#define SARTOR_TOOLS_CLI_COMMANDS_H

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "core/cache/shared_cache.h"
#include "tools/cli/new/project.h"
#include "tools/cli/replay/execute.h"

namespace sartor::cli {

/// `sartor cache ls|rm|stats|verify` works on a directory that Options::cache_directory names,
/// `sartor cache shared` on a server that Options::shared_cache names.
class CacheCommand {
public:
  explicit CacheCommand(CLI::App &app);

  /// Runs after the command line has been parsed. Returns false if verify() has found and reported
  /// damage, otherwise true. Fails with file_error, unknown_handler, store_unreachable.
  Result<bool> run() const;

private:
  CLI::App *command_;
  CLI::App *list_;
  CLI::App *remove_;
  CLI::App *stats_;
  CLI::App *verify_;
  CLI::App *shared_;
  std::string directory_;
  std::string key_;
  std::string handler_;
  core::SharedCacheOptions shared_options_;
  bool all_ = false;
  bool json_ = false;
  bool delete_ = false;
};

/// `sartor compile` makes variants of a program ahead of time, and puts them into its file.
class CompileCommand {
public:
  explicit CompileCommand(CLI::App &app);

  /// Runs after the command line has been parsed. Variants that cannot be made are reported on
  /// standard error; then, and if nothing could be made, it fails and leaves the file as it was.
  Result<void> run() const;

private:
  std::string program_;
  std::string output_;
  std::vector<std::string> configurations_;
  std::vector<std::string> processors_{"native"};
};

/// `sartor declare`: drafts declarations outside the source, or checks whether the declarations
/// that object files were compiled with have matched.
class DeclareCommand {
public:
  explicit DeclareCommand(CLI::App &app);

  /// A draft is written by clang, which replaces this process. Fails with file_error, bad_argument,
  /// no_clang, and, for a check, bad_elf and bad_settings, whose subject is FILE:LINE.
  [[nodiscard]] Result<void> run() const;

private:
  [[nodiscard]] Result<void> draft() const;

  std::string place_;
  std::vector<std::string> options_; ///< Options of clang.
  std::vector<std::string> objects_;
};

/// `sartor device`: generates the server's module and the device's C file from handlers' bitcode.
class DeviceCommand {
public:
  explicit DeviceCommand(CLI::App &app);

  /// Fails as opening the bitcode does, and with wrong_target, file_error.
  Result<void> run() const;

private:
  std::string bitcode_;
  std::string target_;
  std::string output_;
  std::string native_;
  std::vector<std::string> symbols_;
};

/// `sartor doctor`: checks an installation, this machine, and a program.
class DoctorCommand {
public:
  explicit DoctorCommand(CLI::App &app);

  /// Returns whether no check found an error.
  [[nodiscard]] Result<bool> run() const;

private:
  std::string program_;
  bool json_ = false;
};

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

/// `sartor policy`: shows and changes what this user's programs switch off when they start.
class PolicyCommand {
public:
  explicit PolicyCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error, bad_json, bad_elf, bad_argument.
  Result<void> run() const;

private:
  Result<void> list() const;
  Result<void> add() const;
  Result<void> remove() const;

  CLI::App *command_;
  CLI::App *add_;
  CLI::App *remove_;
  std::string program_;
  std::string name_;
  std::size_t number_ = 0;
};

/// `sartor top`: shows a running program in the terminal, and lets its user switch handlers off.
class TopCommand {
public:
  explicit TopCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Ends when the user or the program does. Fails with file_error, bad_argument.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string process_;
  double interval_ = 0.5;
  bool once_ = false;
};

/// `sartor new`: writes a project that builds and runs.
class NewCommand {
public:
  explicit NewCommand(CLI::App &app);

  Result<void> run() const;

private:
  Project project_{.name = {}, .language = "c++"};
};

/// `sartor replay`: repeats a call in which a variant differed from the native code.
class ReplayCommand {
public:
  explicit ReplayCommand(CLI::App &app);

  Result<void> run() const;

private:
  Result<void> find_pass(const RecordedCall &call, const Execution &native,
                         const Execution &variant) const;

  std::string directory_;
  std::string program_;
  std::string reduced_;
  std::string module_;
  bool bisect_ = false;
};

} // namespace sartor::cli

#endif
