// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/commands.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file_handle.h"
#include "base/result.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

/// The behavior of a command, part by part.
struct CapturedRun {
  bool is_late = false; ///< It was killed, because it had not ended in time.
  int status = 0;       ///< As of waitpid().
  /// "exit status", "standard output", "standard error", and files by path, with their content.
  std::map<std::string, std::string> parts;
};

/// The parts that two runs of the same kind have in common, line by line, and what another run has
/// otherwise.
struct RunDifference {
  std::vector<std::string> not_compared; ///< Differ between the two runs: parts, or lines of parts.
  std::vector<std::string> differing;
};

std::string content_of(int file) {
  std::string content;
  char part[4096];
  ssize_t size = 0;
  for (off_t at = 0; (size = pread(file, part, sizeof part, at)) > 0; at += size)
    content.append(part, static_cast<std::size_t>(size));
  return content;
}

std::vector<char *> pointers_to(std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::unexpected<Failure> failed(const std::string &command, int error) {
  return std::unexpected(Failure{ErrorCode::file_error, command,
                                 std::string("cannot be run: ") + std::strerror(error),
                                 "name a program"});
}

/// True if the process has ended in time.
bool wait_for(pid_t process, std::chrono::milliseconds limit) {
  const base::FileHandle handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  pollfd ended{handle.get(), POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    const int ready = poll(&ended, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready >= 0 || errno != EINTR)
      return ready > 0;
  }
}

std::string text_of_status(int status) {
  if (WIFSIGNALED(status))
    return std::string("signal ") + strsignal(WTERMSIG(status));
  return std::to_string(WEXITSTATUS(status));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Compares the lines of a part in which the first two runs agree.
void compare(const std::string &name, const std::string &once, const std::string &again,
             const std::string &other, RunDifference &found) {
  const auto first = lines_of(once);
  const auto second = lines_of(again);
  const auto third = lines_of(other);
  if (first.size() != second.size()) {
    found.not_compared.push_back(name);
    return;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string line = "line " + std::to_string(i + 1) + " of " + name;
    if (first[i] != second[i])
      found.not_compared.push_back(line);
    else if (i >= third.size() || third[i] != first[i]) {
      found.differing.push_back(line);
      return;
    }
  }
  if (third.size() > first.size())
    found.differing.push_back("line " + std::to_string(first.size() + 1) + " of " + name);
}

/// Runs a command without standard input, with these variables in addition to the environment.
/// `files` are read afterwards. Fails with file_error.
Result<CapturedRun> run_captured(const std::vector<std::string> &command,
                                 const std::vector<std::string> &variables,
                                 const std::vector<std::string> &files,
                                 std::chrono::milliseconds limit) {
  const base::FileHandle output(memfd_create("output", MFD_CLOEXEC));
  const base::FileHandle errors(memfd_create("errors", MFD_CLOEXEC));
  if (output.get() < 0 || errors.get() < 0)
    return failed(command.front(), errno);
  std::vector<std::string> words = command;
  std::vector<std::string> environment = variables;
  for (char **each = environ; *each; ++each) {
    const std::string_view variable(*each);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    if (std::ranges::none_of(variables, [&](const auto &own) { return own.starts_with(name); }))
      environment.emplace_back(variable);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // so that its children end, too
  pid_t process = 0;
  const int error = posix_spawnp(&process, words.front().c_str(), &actions, &attributes,
                                 pointers_to(words).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return failed(command.front(), error);
  CapturedRun run;
  run.is_late = !wait_for(process, limit);
  kill(-process, SIGKILL);
  while (waitpid(process, &run.status, 0) < 0 && errno == EINTR)
    ;
  run.parts["exit status"] = text_of_status(run.status);
  run.parts["standard output"] = content_of(output.get());
  run.parts["standard error"] = content_of(errors.get());
  for (const std::string &path : files) {
    std::ifstream file(path, std::ios::binary);
    run.parts[path] = {std::istreambuf_iterator<char>(file), {}};
  }
  return run;
}

RunDifference difference_of(const CapturedRun &once, const CapturedRun &again,
                            const CapturedRun &other) {
  RunDifference found;
  if (other.is_late) {
    found.differing.emplace_back("the end: it does not end in time");
    return found;
  }
  for (const auto &[name, content] : once.parts)
    compare(name, content, again.parts.at(name), other.parts.at(name), found);
  return found;
}

using Json = nlohmann::ordered_json;

constexpr double kLongestSeconds = 86400;
constexpr int kRefused = 126;

std::string front() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "sartor-ld";
}

std::string joined(const std::vector<std::string> &words, const char *between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

void print(const Json &result) {
  std::cout << result["outcome"].get<std::string>() << ": " << result["command"].get<std::string>()
            << '\n';
  for (const auto &each : result["differing"])
    std::cout << "  differs: " << each.get<std::string>() << '\n';
  for (const auto &each : result["not_compared"])
    std::cout << "  not compared: " << each.get<std::string>() << '\n';
}

} // namespace

LdVerifyCommand::LdVerifyCommand(CLI::App &ld)
    : command_(ld.add_subcommand(
          "verify", "Run a program's test commands with the stock loader and with sartor-ld, and "
                    "compare status, output and files.")) {
  command_->add_flag("--shadow", shadow_, "Run each command both ways")->required();
  command_->add_option("PROGRAM", program_, "The program, as the commands name it")->required();
  command_->add_option("--commands", file_,
                       "A file with a shell command in each line; $PROGRAM is the program");
  command_->add_option("--output", outputs_, "A file that the commands write")->take_all();
  command_->add_option("--timeout", seconds_, "Seconds that a command may take (default: 60)");
  command_->add_flag("--json", json_, "Write JSON");
  command_->add_option("COMMAND", words_, "A command with the program as one of its words");
  add_example(*command_,
              "sartor ld verify --shadow /usr/bin/program -- /usr/bin/program --version");
}

Result<std::vector<LdVerifyCommand::Ways>> LdVerifyCommand::commands() const {
  std::vector<Ways> all;
  const std::vector<std::string> planned{front(), "--required", "--", program_};
  if (!words_.empty()) {
    Ways ways{joined(words_, " "), words_, {}, {}, {}};
    for (const std::string &word : words_)
      if (word == program_)
        ways.planned.insert(ways.planned.end(), planned.begin(), planned.end());
      else
        ways.planned.push_back(word);
    if (ways.planned == ways.stock)
      return std::unexpected(Failure{ErrorCode::bad_argument, ways.text,
                                     "does not have " + program_ + " as one of its words",
                                     "name the program alike, or use --commands"});
    all.push_back(std::move(ways));
  }
  if (!file_.empty()) {
    std::ifstream file(file_);
    if (!file)
      return std::unexpected(
          Failure{ErrorCode::file_error, file_, "cannot be read", "name a file of commands"});
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && !line.starts_with('#'))
        all.push_back({line,
                       {"/bin/sh", "-c", line},
                       {"/bin/sh", "-c", line},
                       {"PROGRAM=" + program_},
                       {"PROGRAM=" + joined(planned, " ")}});
  }
  if (all.empty())
    return std::unexpected(Failure{ErrorCode::bad_argument, "commands", "are missing",
                                   "write -- COMMAND..., or --commands FILE"});
  return all;
}

Result<Json> LdVerifyCommand::compare(const Ways &ways) const {
  const std::chrono::milliseconds limit(static_cast<std::int64_t>(seconds_ * 1000));
  const auto run = [&](bool is_planned) -> Result<CapturedRun> {
    std::error_code ignored;
    for (const std::string &path : outputs_) // of the run before
      std::filesystem::remove(path, ignored);
    return run_captured(is_planned ? ways.planned : ways.stock,
                        is_planned ? ways.planned_variables : ways.stock_variables, outputs_,
                        limit);
  };
  const auto once = run(false);
  if (!once)
    return std::unexpected(once.error());
  const auto again = run(false);
  if (!again)
    return std::unexpected(again.error());
  Json result{{"command", ways.text}};
  if (once->is_late || again->is_late) {
    result["outcome"] = "timeout";
    result["differing"] = Json::array();
    result["not_compared"] = {"all: the stock loader's run does not end in time"};
    return result;
  }
  const auto planned = run(true);
  if (!planned)
    return std::unexpected(planned.error());
  // Of the front, which starts it as planned or not at all.
  const auto is_refused = [](const CapturedRun &each) {
    return WIFEXITED(each.status) && WEXITSTATUS(each.status) == kRefused;
  };
  if (is_refused(*planned) && !is_refused(*once)) {
    result["outcome"] = "refused";
    result["differing"] = Json::array();
    result["not_compared"] = {"all: " + planned->parts.at("standard error")};
    return result;
  }
  const RunDifference found = difference_of(*once, *again, *planned);
  result["outcome"] = found.differing.empty() ? "same" : "difference";
  result["differing"] = found.differing;
  result["not_compared"] = found.not_compared;
  return result;
}

Result<void> LdVerifyCommand::run() const {
  if (!(seconds_ > 0 && seconds_ <= kLongestSeconds))
    return std::unexpected(
        Failure{ErrorCode::bad_argument, "--timeout", "is no time", "write seconds"});
  const auto all = commands();
  if (!all)
    return std::unexpected(all.error());
  Json results = Json::array();
  bool differs = false;
  bool is_late = false;
  bool is_refused = false;
  for (const Ways &ways : *all) {
    auto result = compare(ways);
    if (!result)
      return std::unexpected(std::move(result.error()));
    differs |= (*result)["outcome"] == "difference";
    is_late |= (*result)["outcome"] == "timeout";
    is_refused |= (*result)["outcome"] == "refused";
    if (!json_)
      print(*result);
    results.push_back(std::move(*result));
  }
  bool is_quarantined = false;
  if (differs) {
    const auto done =
        run_captured({front(), "--different", "--", program_}, {}, {}, std::chrono::minutes(10));
    is_quarantined = done && !done->is_late && done->status == 0;
  }
  if (json_)
    std::cout << dump(Json{{"program", program_},
                           {"quarantined", is_quarantined},
                           {"commands", std::move(results)}})
              << '\n';
  if (differs)
    return std::unexpected(Failure{
        ErrorCode::bad_plan, program_, "behaves differently than by the stock loader",
        is_quarantined ? "the stock loader starts it until one of its files changes; report it"
                       : "start it without sartor-ld, and report it"});
  if (is_refused)
    return std::unexpected(
        Failure{ErrorCode::bad_plan, program_, "is not started as planned", "see sartor ld plan"});
  if (is_late)
    return std::unexpected(Failure{ErrorCode::bad_plan, program_,
                                   "has commands that do not end in time: they are not compared",
                                   "give more time (--timeout)"});
  return {};
}

} // namespace sartor::cli
