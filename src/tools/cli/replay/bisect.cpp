// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/replay/bisect.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/cache/cache_files.h"

namespace sartor::cli {

namespace {

std::string readme_of(const RecordedCall &call, const Culprit &culprit) {
  std::string text = "# A difference of " + call.difference.variant + "\n\nThe pass `" +
                     culprit.pass + "`, number " + std::to_string(culprit.number) + " of " +
                     std::to_string(culprit.all) +
                     ", changes the result of a call. It ran on: " + culprit.function +
                     ".\n\n`before.ll` is the module before it, `after.ll` after it.\n\n";
  return text + (culprit.pass.starts_with("mutant ")
                     ? "The pass is a mutant of a compiler library for tests; opt has none.\n"
                     : "    opt -S -passes='" + culprit.pass + "' before.ll -o again.ll\n");
}

} // namespace

Result<std::optional<Culprit>> bisect(const RecordedCall &call, const Execution &native,
                                      const Execution &with_all) {
  std::uint64_t same = 0;
  std::uint64_t other = with_all.passes.asked;
  Culprit culprit;
  culprit.all = other;
  const auto differs = [&](std::uint64_t most) -> Result<bool> {
    const auto step = execute(call, Side::variant, {.most = most});
    if (!step)
      return std::unexpected(step.error());
    const bool is_other = differ(call.difference, native.effects, step->effects);
    if (is_other && most > 0) {
      culprit.number = most;
      culprit.pass = step->passes.pass;
      culprit.function = step->passes.function;
    }
    return is_other;
  };
  auto step = differs(0);
  if (!step)
    return std::unexpected(std::move(step.error()));
  if (*step || other == 0)
    return std::nullopt;
  while (other - same > 1) {
    const std::uint64_t middle = same + (other - same) / 2;
    step = differs(middle);
    if (!step)
      return std::unexpected(std::move(step.error()));
    (*step ? other : same) = middle;
  }
  if (culprit.number != other) // it was the last pass, with which no step was made
    if (step = differs(other); !step)
      return std::unexpected(std::move(step.error()));
  return culprit;
}

Result<std::filesystem::path> write_reduced(const RecordedCall &call, const Culprit &culprit,
                                            const std::filesystem::path &into) {
  const auto step = execute(call, Side::variant, {.most = culprit.number, .wants_code = true});
  if (!step)
    return std::unexpected(step.error());
  const auto directory = core::open_directory(into, /*make=*/true);
  if (!directory)
    return std::unexpected(directory.error());
  const std::pair<const char *, std::string> files[] = {{"before.ll", step->passes.before},
                                                        {"after.ll", step->passes.after},
                                                        {"README.md", readme_of(call, culprit)}};
  for (const auto &[name, content] : files)
    if (const auto written = core::write_file(*directory, name, "." + std::string(name), content);
        !written)
      return std::unexpected(
          Failure{ErrorCode::file_error, (into / name).string(),
                  "cannot be written: " + std::generic_category().message(written.error()),
                  "name another directory (--reduce)"});
  return into;
}

} // namespace sartor::cli
