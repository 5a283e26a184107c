// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "tools/cli/child.h"
#include "tools/cli/commands.h"
#include "tools/cli/doctor/check.h"
#include "tools/cli/guards.h"
#include "tools/cli/handlers_in.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

using State = Check::State;

std::string count_of(std::size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The library that the dynamic linker finds for the program; nothing if it needs none.
std::optional<Check> check_library(const std::string &path) {
  const auto listed = run_child({"ldd", std::filesystem::absolute(path)});
  if (!listed || listed->status != 0)
    return std::nullopt;
  std::istringstream lines(listed->output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => ");
    if (arrow == std::string::npos || !line.contains("libsartor.so"))
      continue;
    const std::string found = line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
    if (found != "not found")
      return Check{State::ok, "library", "loads " + found};
    return Check{State::error, "library", "the dynamic linker does not find libsartor.so",
                 "link with -Wl,-rpath,DIRECTORY, or add its directory to ld.so.conf"};
  }
  return Check{State::note, "library",
               "is not linked to libsartor.so: another part of the process must open its handlers",
               "call sartor_open() or create a sartor::Runtime, and link with -lsartor"};
}

std::string place_of(const Site &site) { return site.file + ":" + std::to_string(site.line); }

/// The points of a handler that can be set.
std::size_t points_of(const core::HandlerModule &module, const std::string &handler) {
  return static_cast<std::size_t>(
      std::ranges::count_if(module.space.points(), [&](const Point &point) {
        return std::ranges::find(point.handlers, handler) != point.handlers.end();
      }));
}

void add_handlers(const core::HandlerModule &module, Checks &checks) {
  for (const core::HandlerModule::Handler &handler : module.handlers) {
    const std::string subject = "handler " + handler.readable_name();
    const std::string points = count_of(points_of(module, handler.name), "point");
    if (!handler.native_only.empty())
      checks.push_back({State::warning, subject, "is never specialized: " + handler.native_only,
                        "remove the reason, or the mark SARTOR_HANDLER"});
    else if (handler.has_loose_floats)
      checks.push_back({State::warning, subject,
                        "runs native code only: its floating-point results depend on how it is "
                        "compiled (-ffast-math and similar options)",
                        "compile its file without such options"});
    else
      checks.push_back({State::ok, subject, points});
  }
  for (const Failure &reason : module.left_out)
    checks.push_back(Check::of(State::warning, "handler file", reason));
}

void add_points(const core::HandlerModule &module, Checks &checks) {
  if (module.space.points().empty())
    checks.push_back({State::note, "points",
                      "there are none: handlers are specialized by bound arguments and invariants "
                      "only",
                      "points are marked where SARTOR_POINTS is defined: compile the file with "
                      "sartor_add_handler() or sartor-cc"});
  for (const Point &point : module.space.points())
    for (const Site &site : point.sites) {
      const std::string subject = "point " + point.label;
      if (!site.problem.empty())
        checks.push_back({State::warning, subject,
                          place_of(site) + " stays generic: " + site.problem,
                          "change the code there; docs/guides/points.md has the rules"});
      else if (!site.unreached.empty())
        checks.push_back({State::warning, subject,
                          place_of(site) + " has no effect: " + site.unreached,
                          "call its function from a handler in the same file, or remove the mark"});
    }
}

void add_guards(const std::string &path, Checks &checks) {
  const auto report = GuardReport::read(path);
  if (!report || report->fields.empty())
    return;
  const std::string found = count_of(report->fields.size(), "watched field") + ", " +
                            count_of(report->guarded.size(), "guarded store") + ", " +
                            std::to_string(report->unproven.size()) + " not proven";
  if (report->unproven.empty())
    checks.push_back({State::ok, "write guards", found});
  else
    checks.push_back({State::warning, "write guards", found,
                      "see `sartor guards " + path + "` for each of them"});
}

/// Checks a program or library: the libraries that it loads, its handlers, points and write guards.
/// Runs the dynamic linker on it, but nothing of the program.
Checks checks_of_program(const std::string &path) {
  const auto all = handlers_in(path);
  if (!all)
    return {Check::of(State::error, "handlers", all.error())};
  Checks checks;
  if (auto library = check_library(path))
    checks.push_back(std::move(*library));
  for (const Handlers &each : *all) {
    add_handlers(each.module, checks);
    add_points(each.module, checks);
  }
  add_guards(path, checks);
  return checks;
}

} // namespace

DoctorCommand::DoctorCommand(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "doctor", "Check the installation and this machine, or a program; exit status 1 after an "
                "error.");
  command->add_option("PROGRAM", program_,
                      "Check the handlers, points and libraries of this program or library only");
  command->add_flag("--json", json_, "Write JSON");
  add_example(*command, "sartor doctor ./program");
}

Result<bool> DoctorCommand::run() const {
  Checks checks;
  if (program_.empty()) {
    const auto here = Installation::of_this_command();
    if (!here)
      return std::unexpected(here.error());
    checks = checks_of_installation(*here);
    const Checks more = checks_of_machine();
    checks.insert(checks.end(), more.begin(), more.end());
  } else {
    checks = checks_of_program(program_);
  }
  std::cout << (json_ ? json_of(checks) + "\n" : text_of(checks));
  return !has_error(checks);
}

} // namespace sartor::cli
