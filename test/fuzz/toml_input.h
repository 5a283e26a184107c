// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_TOML_INPUT_H
#define SARTOR_TEST_FUZZ_TOML_INPUT_H

#include <string_view>

namespace sartor::loader {

/// Reads a text as settings, and aborts if it is taken for something else than what is in it: what
/// has been read is written down again, and must be read as the same. Returns whether it is TOML.
bool look_at_toml(std::string_view text);

} // namespace sartor::loader

#endif
