// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/verify.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include <sys/wait.h>

#include "tools/cli/captured_run.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

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
