// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_RESPONSE_FILE_H
#define SARTOR_TOOLS_CC_RESPONSE_FILE_H

#include <string>
#include <string_view>
#include <vector>

namespace sartor::cc {

using Words = std::vector<std::string>;

/// The words of a response file's text, as gcc and clang read them: white space separates, quotes
/// of both kinds keep it, a backslash takes the next character as it is.
Words words_of(std::string_view text);

/// `words` with each `@file` replaced by what is in the file, and so on within it. What cannot be
/// read stays, as compilers have it.
Words expanded(const Words &words);

} // namespace sartor::cc

#endif
