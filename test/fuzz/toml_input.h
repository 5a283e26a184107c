// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_TOML_INPUT_H
#define SARTOR_TEST_FUZZ_TOML_INPUT_H

#include <string_view>

namespace sartor::base {

/// Reads a text as settings, writes them, and aborts if they are different when read again. Returns
/// whether it is TOML.
bool look_at_toml(std::string_view text);

} // namespace sartor::base

#endif
