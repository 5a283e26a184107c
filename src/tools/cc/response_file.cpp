// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/response_file.h"

#include "tools/cc/text_of.h"

namespace sartor::cc {

namespace {

bool is_space(char character) { return std::string_view(" \t\n\r\v\f").contains(character); }

// The maximum nesting depth: files may refer to each other in a cycle.
constexpr int kDeepest = 100;

void append(Words &result, const Words &words, int depth) {
  for (const std::string &word : words) {
    const auto text =
        word.starts_with('@') && depth < kDeepest ? text_of(word.substr(1)) : std::nullopt;
    if (text)
      append(result, words_of(*text), depth + 1);
    else
      result.push_back(word);
  }
}

} // namespace

Words words_of(std::string_view text) {
  Words words;
  bool is_within = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (quote == 0 && is_space(character)) {
      is_within = false;
      continue;
    }
    if (!is_within)
      words.emplace_back();
    is_within = true;
    if (character == '\\' && i + 1 < text.size())
      words.back() += text[++i];
    else if (character == quote)
      quote = 0;
    else if (quote == 0 && (character == '\'' || character == '"'))
      quote = character;
    else
      words.back() += character;
  }
  return words;
}

Words expanded(const Words &words) {
  Words result;
  append(result, words, 0);
  return result;
}

} // namespace sartor::cc
