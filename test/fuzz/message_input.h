// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_MESSAGE_INPUT_H
#define SARTOR_TEST_FUZZ_MESSAGE_INPUT_H

#include <string>
#include <string_view>
#include <vector>

namespace sartor::remote {

/// A message of each kind that either side sends, preceded by its kind's number.
std::vector<std::string> some_messages();

/// Reads the bytes after the kind's number as a message of that kind; aborts if it can be read and
/// is written differently. Returns whether it could be read.
bool look_at_message(std::string_view bytes);

} // namespace sartor::remote

#endif
