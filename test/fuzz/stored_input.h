// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_STORED_INPUT_H
#define SARTOR_TEST_FUZZ_STORED_INPUT_H

#include <string>
#include <string_view>

namespace sartor::core {

/// Corrects the magic, the sizes and the checksum of a stored object.
std::string seal(std::string stored);

/// Takes a stored object apart as it is, and sealed; aborts if a result is outside the object, or
/// if the bytes differ from those that pack_stored() makes. Returns whether its description can be
/// read.
bool look_at_stored(std::string_view bytes);

} // namespace sartor::core

#endif
