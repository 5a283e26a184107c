// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_TEXT_OF_H
#define SARTOR_TOOLS_CC_TEXT_OF_H

#include <optional>
#include <string>

namespace sartor::cc {

/// Returns the content of a regular file; nullopt if it cannot be read.
std::optional<std::string> text_of(const std::string &path);

/// Returns everything that can be read from a descriptor.
std::string text_of(int descriptor);

} // namespace sartor::cc

#endif
