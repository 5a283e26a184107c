// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/directives.h"

#include <algorithm>
#include <optional>

namespace sartor::cc {

namespace {

bool is_of_word(char character) {
  return character == '_' || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z') || (character >= '0' && character <= '9');
}

// Skips blanks, comments and continued lines.
std::string_view skip_blanks(std::string_view text) {
  for (;;) {
    if (text.starts_with(' ') || text.starts_with('\t'))
      text.remove_prefix(1);
    else if (text.starts_with("\\\n"))
      text.remove_prefix(2);
    else if (text.starts_with("\\\r\n"))
      text.remove_prefix(3);
    else if (text.starts_with("/*"))
      text.remove_prefix(std::min(text.size(), text.find("*/", 2) + 2));
    else
      return text;
  }
}

std::string_view take_word(std::string_view &text) {
  const auto *end = std::ranges::find_if_not(text, is_of_word);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

std::optional<Inclusion> inclusion_of(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('<'))
    return std::nullopt;
  const std::size_t end = text.find_first_of(text.front() == '"' ? "\"\n" : ">\n", 1);
  if (end == std::string_view::npos || text[end] == '\n')
    return std::nullopt;
  return Inclusion{.name = std::string(text.substr(1, end - 1)), .is_quoted = text[0] == '"'};
}

void read(std::string_view text, Directives &directives) {
  text = skip_blanks(text);
  const std::string_view word = take_word(text);
  text = skip_blanks(text);
  if (word == "include" || word == "import" || word == "include_next") {
    if (auto inclusion = inclusion_of(text)) {
      inclusion->is_next = word == "include_next";
      directives.inclusions.push_back(std::move(*inclusion));
    } else if (const std::string_view macro = take_word(text); !macro.empty()) {
      directives.macros.emplace_back(macro);
    }
  } else if (word == "define") {
    const std::string_view name = take_word(text);
    if (auto inclusion = inclusion_of(skip_blanks(text))) {
      directives.inclusions.push_back(std::move(*inclusion));
      directives.defined.emplace_back(name);
    }
  }
}

} // namespace

Directives directives_of(std::string_view text) {
  Directives directives;
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string_view::npos; ++at)
    read(text.substr(at + 1), directives);
  // The digraph of #.
  for (std::size_t at = 0; (at = text.find("%:", at)) != std::string_view::npos; at += 2)
    read(text.substr(at + 2), directives);
  return directives;
}

bool defines(std::string_view text, std::string_view macro) {
  constexpr std::string_view kDefine = "define";
  for (std::size_t at = 0; (at = text.find(kDefine, at)) != std::string_view::npos; ++at) {
    std::string_view rest = skip_blanks(text.substr(at + kDefine.size()));
    if (take_word(rest) == macro)
      return true;
  }
  return false;
}

void add_definition(std::string_view definition, Directives &directives) {
  const std::size_t end = definition.find('=');
  if (end == std::string_view::npos)
    return;
  if (auto inclusion = inclusion_of(definition.substr(end + 1))) {
    directives.inclusions.push_back(std::move(*inclusion));
    directives.defined.emplace_back(definition.substr(0, end));
  }
}

} // namespace sartor::cc
