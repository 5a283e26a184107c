// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_ELF_INPUT_H
#define SARTOR_TEST_FUZZ_ELF_INPUT_H

#include <cstddef>
#include <vector>

namespace sartor::loader {

/// Runs the loader's analyses of a library on a file; aborts if a result is outside the file.
/// Returns the number of steps passed: 0 if the file was refused.
int look_at_elf(std::vector<std::byte> bytes);

} // namespace sartor::loader

#endif
