// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/image/code_image.h"

#include <algorithm>
#include <cstring>

namespace sartor::core {

namespace {

std::string *content_of(CodeImage &image, const char *section) {
  const auto found = std::ranges::find(image.debug, section, &DebugSection::name);
  return found == image.debug.end() ? nullptr : &found->content;
}

// Functions refer to rows of a table of offsets, which leads to their names.
void rename_for_debuggers(CodeImage &image, const std::string &name) {
  std::string *names = content_of(image, ".debug_str");
  std::string *offsets = content_of(image, ".debug_str_offsets");
  if (!names || !offsets)
    return;
  const std::string before = '\0' + image.name + '\0';
  const std::size_t found = ('\0' + *names).find(before);
  if (found == std::string::npos)
    return;
  const auto from = static_cast<std::uint32_t>(found);
  const auto to = static_cast<std::uint32_t>(names->size());
  *names += name + '\0';
  constexpr std::size_t header = 8; // DWARF 5, 7.26
  for (std::size_t at = header; at + sizeof from <= offsets->size(); at += sizeof from)
    if (std::memcmp(offsets->data() + at, &from, sizeof from) == 0)
      std::memcpy(offsets->data() + at, &to, sizeof to);
}

} // namespace

void rename(CodeImage &image, const std::string &name) {
  for (Function &function : image.functions)
    if (function.name.starts_with(image.name))
      function.name.replace(0, image.name.size(), name);
  if (image.name != name)
    rename_for_debuggers(image, name);
  image.name = name;
}

} // namespace sartor::core
