// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_STORED_INPUT_H
#define SARTOR_TEST_FUZZ_STORED_INPUT_H

#include <string>
#include <string_view>

namespace sartor::core {

/// Makes magic, sizes and checksum of a stored object right again.
std::string seal(std::string stored);

/// Takes a stored object apart as it is, and sealed; aborts if something that is given out lies
/// outside, or if it was not what pack_stored() makes. Returns whether what it says of itself can
/// be read.
bool look_at_stored(std::string_view bytes);

} // namespace sartor::core

#endif
