// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/section_input.h"

#include "compiler/frontend/section.h"
#include "fuzz/require.h"

namespace sartor::compiler {

using fuzz::require;

std::size_t look_at_section(std::string_view section) {
  const auto modules = unframe(section, "input");
  if (!modules)
    return 0;
  std::string again;
  for (const std::string &module : *modules) {
    require(!module.empty());
    again += framed(module);
  }
  const auto same = unframe(again, "input");
  require(same && *same == *modules);
  // Except for padding between frames; the last frame need not be padded.
  constexpr std::size_t most_padding = 7;
  require(again.size() >= section.size() && again.size() - section.size() <= most_padding);
  return modules->size();
}

} // namespace sartor::compiler
