// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/run.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <unistd.h>

#include "tools/cli/usage.h"

namespace sartor::cli {

Result<std::filesystem::path> sibling(const std::string &name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, name,
                                   "cannot be found: /proc/self/exe: " + error.message(),
                                   "see whether /proc is mounted"});
  return self.parent_path() / name;
}

Failure become_sibling(const std::string &name, const std::vector<std::string> &arguments) {
  const auto found = sibling(name);
  if (!found)
    return found.error();
  const std::string program = *found;
  std::vector<char *> words{const_cast<char *>(program.c_str())};
  std::ranges::transform(arguments, std::back_inserter(words), [](const std::string &argument) {
    return const_cast<char *>(argument.c_str());
  });
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  return {ErrorCode::file_error, program,
          errno == ENOENT
              ? "is missing"
              : "cannot be executed: " + std::error_code(errno, std::generic_category()).message(),
          "install Sartor as a whole; the file belongs to the directory of the command sartor"};
}

namespace {

/// Returns the index of the program, or of `--` before it: the program's options do not belong to
/// the command.
std::size_t count_own(const std::vector<std::string> &arguments) {
  std::size_t own = 2;
  if (arguments.size() < own || arguments[1] != "run")
    return arguments.size();
  while (own < arguments.size() && arguments[own].starts_with('-') && arguments[own] != "--")
    own += arguments[own] == "--passes" || arguments[own] == "--config" ? 2 : 1;
  return std::min(own, arguments.size());
}

} // namespace

RunCommand::RunCommand(CLI::App &app, const std::vector<std::string> &arguments)
    : command_(app.add_subcommand("run", "Start a program with its libraries packed and bound: "
                                         "sartor run [OPTIONS] [--] PROGRAM [ARGUMENTS...]")) {
  const auto program = arguments.begin() + static_cast<std::ptrdiff_t>(count_own(arguments));
  own_.assign(arguments.begin() + 1, program);
  program_.assign(program, arguments.end());
  if (!program_.empty() && program_.front() == "--")
    program_.erase(program_.begin());
  command_->add_option("--passes", passes_,
                       "Run only these passes, such as bind,concat (default: as configured)");
  command_->add_option("--config", config_, "A configuration file in addition to the usual ones");
  command_->add_flag("--strict", strict_, "Do not start the program if a pass fails");
  command_->add_flag("--observable", observable_,
                     "Leave code in its own files, where uprobes and tracers find it");
  command_->add_flag("--in-place", in_place_, "Start it in this process image, without ptrace()");
  add_example(*command_, "sartor run --passes bind,concat -- /usr/bin/program --option\n\n"
                         "PROGRAM is required. All words after it are its arguments.");
}

std::vector<std::string> RunCommand::own_arguments() const {
  std::vector<std::string> words;
  for (const std::string &argument : own_) {
    if (argument == "--passes=") { // the parser would take the next word for the list
      words.insert(words.end(), {"--passes", ""});
      continue;
    }
    words.push_back(argument);
  }
  std::ranges::reverse(words);
  return words;
}

Failure RunCommand::run() const {
  if (program_.empty())
    throw CLI::RequiredError("PROGRAM");
  std::vector<std::string> arguments;
  if (command_->count("--passes") > 0)
    arguments.push_back("--passes=" + passes_);
  if (command_->count("--config") > 0)
    arguments.push_back("--config=" + config_);
  if (strict_)
    arguments.emplace_back("--strict");
  if (observable_)
    arguments.emplace_back("--observable");
  if (in_place_)
    arguments.emplace_back("--in-place");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), program_.begin(), program_.end());
  return become_sibling("sartor-ld", arguments);
}

} // namespace sartor::cli
