// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/replay/bisect.h"

#include <utility>

namespace sartor::cli {

Result<std::optional<Culprit>> bisect(const RecordedCall &call, const Execution &native,
                                      const Execution &with_all, const std::string &instead) {
  std::uint64_t same = 0;
  std::uint64_t other = with_all.passes.asked;
  Culprit culprit;
  culprit.all = other;
  const auto differs = [&](std::uint64_t most) -> Result<bool> {
    const auto step = execute(call, Side::variant, {.most = most, .instead = instead});
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

} // namespace sartor::cli
