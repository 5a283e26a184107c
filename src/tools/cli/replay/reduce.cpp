// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/replay/reduce.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "core/cache/cache_files.h"
#include "tools/cli/child.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAllPasses = std::numeric_limits<std::uint64_t>::max();
constexpr std::chrono::minutes kMostTime{60};
// They change the types of functions, which are called as the recorded frame says, or add undefined
// values.
constexpr const char *kSkipped = "arguments,arguments-to-return,instructions-to-return,"
                                 "operands-poison";

std::size_t undefined_values(std::string_view module) {
  std::size_t count = 0;
  for (const std::string_view word : {" poison", " undef"})
    for (std::size_t at = module.find(word); at != std::string_view::npos;
         at = module.find(word, at + 1))
      ++count;
  return count;
}

/// The variant's module before the first optional pass.
Result<std::string> module_of(const RecordedCall &call) {
  auto step = execute(call, Side::variant, {.most = 1, .wants_code = true});
  if (!step)
    return std::unexpected(std::move(step.error()));
  return std::move(step->passes.before);
}

Result<std::string> find_llvm_reduce() {
  const std::string name = "llvm-reduce-" + std::to_string(SARTOR_LLVM_VERSION);
  const char *path = std::getenv("PATH");
  std::string_view left = path ? path : "";
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const fs::path candidate = fs::path(left.substr(0, end)) / name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  const fs::path own = fs::path(SARTOR_LLVM_TOOLS) / "llvm-reduce";
  if (access(own.c_str(), X_OK) == 0)
    return own.string();
  return std::unexpected(Failure{ErrorCode::file_error, name, "is not installed",
                                 "install LLVM's tools (Debian: apt-get install llvm-" +
                                     std::to_string(SARTOR_LLVM_VERSION) +
                                     "), or add their directory to PATH"});
}

Result<void> write(const fs::path &into, const std::string &name, const std::string &content) {
  const auto directory = core::open_directory(into, /*make=*/true);
  if (!directory)
    return std::unexpected(directory.error());
  if (const auto written = core::write_file(*directory, name, "." + name, content); !written)
    return std::unexpected(
        Failure{ErrorCode::file_error, (into / name).string(),
                "cannot be written: " + std::generic_category().message(written.error()),
                "name another directory (--reduce)"});
  return {};
}

std::string opt_command(const Culprit &culprit, const std::string &file) {
  return culprit.pass.starts_with("mutant ")
             ? "The pass is a mutant of a compiler library for tests; opt has none.\n"
             : "    opt -S -passes='" + culprit.pass + "' " + file + " -o again.ll\n";
}

std::string readme_of(const RecordedCall &call, const Culprit &culprit,
                      const std::optional<Reduced> &reduced) {
  std::string text = "# A difference of " + call.difference.variant + "\n\nThe pass `" +
                     culprit.pass + "`, number " + std::to_string(culprit.number) + " of " +
                     std::to_string(culprit.all) +
                     ", changes the result of a call. It ran on: " + culprit.function +
                     ".\n\n`before.ll` is the module before it, `after.ll` after it.\n\n" +
                     opt_command(culprit, "before.ll");
  if (reduced)
    text += "\nllvm-reduce has made `reduced.ll` from the module before all passes. It shows a "
            "difference with all passes, and none without them. The pass `" +
            reduced->culprit.pass + "` changes it from `reduced_before.ll` to `reduced_after.ll`." +
            " Check that it computes nothing undefined before you report it.\n\n" +
            opt_command(reduced->culprit, "reduced_before.ll");
  return text;
}

} // namespace

bool shows_difference(const RecordedCall &call, const Execution &native,
                      const std::string &module) {
  const auto differs = [&](std::uint64_t most) -> std::optional<bool> {
    const auto step = execute(call, Side::variant, {.most = most, .instead = module});
    if (!step) // not valid, or without the function
      return std::nullopt;
    return differ(call.difference, native.effects, step->effects);
  };
  if (differs(kAllPasses) != true || differs(0) != false)
    return false;
  const auto own = module_of(call);
  return own && undefined_values(module) <= undefined_values(*own);
}

Result<Reduced> reduce(const RecordedCall &call, const Execution &native,
                       const std::vector<std::string> &command, const fs::path &directory) {
  const auto program = find_llvm_reduce();
  if (!program)
    return std::unexpected(program.error());
  auto own = module_of(call);
  if (!own)
    return std::unexpected(std::move(own.error()));
  const fs::path file = directory / "reduced.ll";
  if (auto written = write(directory, "reduced.ll", *own); !written)
    return std::unexpected(std::move(written.error()));
  std::vector<std::string> words{*program, "--in-place", "--test=" + command.front(),
                                 std::string("--skip-delta-passes=") + kSkipped};
  for (const std::string &word : std::span(command).subspan(1))
    words.push_back("--test-arg=" + word);
  words.push_back(file.string());
  const auto ended = run_child(words, kMostTime);
  if (!ended)
    return std::unexpected(ended.error());
  if (ended->status != 0)
    return std::unexpected(Failure{ErrorCode::file_error, *program,
                                   "has failed: " + ended->first_line(),
                                   "report the module before the pass, which is not reduced"});
  Reduced reduced;
  std::ifstream in(file);
  reduced.module.assign(std::istreambuf_iterator<char>(in), {});
  const auto with_all =
      execute(call, Side::variant, {.most = kAllPasses, .instead = reduced.module});
  if (!with_all)
    return std::unexpected(with_all.error());
  auto culprit = bisect(call, native, *with_all, reduced.module);
  if (!culprit)
    return std::unexpected(std::move(culprit.error()));
  if (*culprit)
    reduced.culprit = std::move(**culprit);
  auto step =
      execute(call, Side::variant,
              {.most = reduced.culprit.number, .wants_code = true, .instead = reduced.module});
  if (!step)
    return std::unexpected(std::move(step.error()));
  reduced.before = std::move(step->passes.before);
  reduced.after = std::move(step->passes.after);
  return reduced;
}

Result<void> write_report(const RecordedCall &call, const Culprit &culprit,
                          const std::optional<Reduced> &reduced, const fs::path &into) {
  const auto step = execute(call, Side::variant, {.most = culprit.number, .wants_code = true});
  if (!step)
    return std::unexpected(step.error());
  std::vector<std::pair<const char *, std::string>> files{
      {"before.ll", step->passes.before},
      {"after.ll", step->passes.after},
      {"README.md", readme_of(call, culprit, reduced)}};
  if (reduced) {
    files.emplace_back("reduced_before.ll", reduced->before);
    files.emplace_back("reduced_after.ll", reduced->after);
  }
  for (const auto &[name, content] : files)
    if (auto written = write(into, name, content); !written)
      return written;
  return {};
}

} // namespace sartor::cli
