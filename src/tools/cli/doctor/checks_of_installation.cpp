// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/doctor/check.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "runtime/jit/choose_compiler.h"
#include "runtime/runtime_options.h"
#include "tools/cli/child.h"
#include "tools/cli/new/project.h"
#include "tools/temporary_directory.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using State = Check::State;

constexpr const char *kClang = "clang-" SARTOR_LLVM_VERSION;

bool is_there(const fs::path &path) {
  std::error_code error;
  return fs::exists(path, error);
}

Check check_library(const Installation &here) {
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(here.libraries, error))
    if (entry.path().filename().string().starts_with("libsartor.so."))
      return {State::ok, "library", entry.path()};
  return {State::error, "library", "libsartor.so is not in " + here.libraries.string(),
          "install Sartor as a whole, or the package libsartor0"};
}

Check check_headers(const Installation &here) {
  const fs::path header = here.headers / "sartor" / "sartor.hpp";
  if (is_there(header))
    return {State::ok, "headers", here.headers / "sartor"};
  return {State::error, "headers", header.string() + " is missing: programs cannot be built",
          "install Sartor as a whole, or the package libsartor-dev"};
}

Check check_compiler_library() {
  const auto compiler = runtime::in_process_compiler();
  if (!compiler)
    return Check::of(State::error, "compiler library", compiler.error());
  const auto toolchain = (*compiler)->toolchain();
  if (!toolchain)
    return Check::of(State::error, "compiler library", toolchain.error());
  return {State::ok, "compiler library",
          "LLVM " + toolchain->llvm + " for " + toolchain->triple + ", " + toolchain->cpu};
}

Check check_clang() {
  const auto ended = run_child({kClang, "--version"});
  if (!ended)
    return {State::error, "clang",
            std::string(kClang) + " is not in PATH: files with handlers cannot be compiled",
            std::string("apt-get install ") + kClang + ", or add its directory to PATH"};
  const std::string version = ended->first_line();
  if (ended->status == 0 && version.contains("clang version " SARTOR_LLVM_VERSION "."))
    return {State::ok, "clang", version};
  return {State::error, "clang",
          std::string(kClang) + " says \"" + version + "\"; needed is clang " SARTOR_LLVM_VERSION,
          std::string("put the ") + kClang + " of LLVM " SARTOR_LLVM_VERSION " first in PATH"};
}

/// The first line of compiler messages that says why.
std::string reason_in(const std::string &messages) {
  const std::size_t error = messages.find("error: ");
  const std::size_t begin = error == std::string::npos ? 0 : error + std::string("error: ").size();
  return messages.substr(begin, messages.find('\n', begin) - begin);
}

Check check_plugin(const Installation &here) {
  if (!is_there(here.plugin))
    return {State::error, "plugin", here.plugin.string() + " is missing",
            "install Sartor as a whole, or the package libsartor-dev"};
  const auto ended = run_child(
      {kClang, "-fplugin=" + here.plugin.string(), "-fsyntax-only", "-x", "c", "/dev/null"});
  if (!ended)
    return {State::note, "plugin", here.plugin.string() + ", not tried without clang"};
  if (ended->status == 0)
    return {State::ok, "plugin", here.plugin};
  return {State::error, "plugin",
          std::string(kClang) + " cannot load it: " + reason_in(ended->output),
          "use the clang and the LLVM libraries that Sartor was built with, or build Sartor again"};
}

/// Adds the parts that are missing and that only some commands need: they may be packages of their
/// own.
void add_missing_parts(const Installation &here, Checks &checks) {
  const std::pair<fs::path, const char *> parts[] = {
      {here.programs / "sartor-ld", "sartor run"},
      {here.programs / "sartor-ld-plan", "sartor ld plan"},
      {here.libraries / "sartor-compiler", "out-of-process compilation"},
      {here.crates, "sartor new --lang rust"}};
  for (const auto &[part, user] : parts)
    if (!is_there(part))
      checks.push_back({State::note, "installation",
                        part.string() + " is missing: it is needed by " + user,
                        "install the package that has it"});
}

std::string in_milliseconds(std::chrono::steady_clock::time_point begin) {
  const auto took = std::chrono::steady_clock::now() - begin;
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) +
         " ms";
}

/// Builds and runs what `sartor new --lang c` writes.
Check check_sample(const Installation &here) {
  constexpr const char *kSubject = "sample program";
  const tools::TemporaryDirectory directory("sartor-doctor");
  const fs::path folder = directory.path();
  if (folder.empty())
    return {State::error, kSubject, "TMPDIR cannot be written to", "name a writable directory"};
  if (const auto written = write_project({"sample", "c"}, folder, here); !written)
    return Check::of(State::error, kSubject, written.error());
  const std::string program = folder / "sample";
  const auto begin = std::chrono::steady_clock::now();
  const auto built = run_child({here.programs / "sartor-cc", std::string("--sartor-cc=") + kClang,
                                "-O2", folder / "main.c", folder / "handlers.c", "-o", program});
  if (!built)
    return Check::of(State::error, kSubject, built.error());
  if (built->status != 0)
    return {State::error, kSubject, "sartor-cc does not build it: " + reason_in(built->output),
            "try it by hand: sartor new sample --lang c"};
  const std::string building = in_milliseconds(begin);

  const fs::path log = folder / "events";
  const auto start = std::chrono::steady_clock::now();
  const auto ran = run_child({"env", "SARTOR=on", "SARTOR_EVENT_LOG=" + log.string(), program});
  if (!ran)
    return Check::of(State::error, kSubject, ran.error());
  const std::string running = in_milliseconds(start);
  if (ran->status != 0 || ran->output != "generic: 4321\nspecialized: 4321\nguarded: 54321\n")
    return {State::error, kSubject,
            "it ended with status " + std::to_string(ran->status) + ": " + ran->first_line(),
            "follow the remedy in its message; `sartor new sample --lang c` writes it"};
  std::ifstream file(log);
  const std::string events{std::istreambuf_iterator<char>(file), {}};
  if (!events.contains(R"("event":"switch")"))
    return {State::error, kSubject, "it ran, and no variant became active",
            "see the event log of `sartor new sample --lang c`: SARTOR_EVENT_LOG=/dev/stderr"};
  return {State::ok, kSubject, "built in " + building + ", specialized and run in " + running};
}

void add_environment(Checks &checks) {
  for (char **variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("SARTOR"))
      continue;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_off = name == "SARTOR" && switched_off();
    checks.push_back({is_off ? State::warning : State::note, "environment",
                      std::string(text) + (is_off ? ": programs run native code only" : ""),
                      is_off ? "unset SARTOR" : ""});
  }
}

} // namespace

Checks checks_of_installation(const Installation &here) {
  Checks checks{{State::ok, "command", "sartor " SARTOR_VERSION " in " + here.programs.string()},
                check_library(here),
                check_headers(here),
                check_compiler_library(),
                check_clang(),
                check_plugin(here)};
  checks.push_back(has_error(checks) ? Check{State::note, "sample program",
                                             "not tried because of the errors above"}
                                     : check_sample(here));
  add_missing_parts(here, checks);
  add_environment(checks);
  return checks;
}

} // namespace sartor::cli
