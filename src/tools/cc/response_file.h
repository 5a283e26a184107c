// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_RESPONSE_FILE_H
#define SARTOR_TOOLS_CC_RESPONSE_FILE_H

#include <string>
#include <string_view>
#include <vector>

namespace sartor::cc {

using Words = std::vector<std::string>;

/// Splits a response file's text as gcc and clang do: white space separates words, quotes of both
/// kinds preserve it, and a backslash takes the next character literally.
Words words_of(std::string_view text);

/// Returns `words` with each `@file` replaced by the words in the file, recursively. Files that
/// cannot be read stay as they are, as in compilers.
Words expanded(const Words &words);

} // namespace sartor::cc

#endif
