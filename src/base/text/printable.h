// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TEXT_PRINTABLE_H
#define SARTOR_BASE_TEXT_PRINTABLE_H

#include <string>
#include <string_view>

namespace sartor::base {

/// Makes text from a peer safe for a log or a terminal: valid UTF-8 without control characters,
/// which are written as \xNN, and at most `most` bytes of it.
std::string printable(std::string_view text, std::size_t most = 4096);

} // namespace sartor::base

#endif
