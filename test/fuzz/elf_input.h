// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_ELF_INPUT_H
#define SARTOR_TEST_FUZZ_ELF_INPUT_H

#include <cstddef>
#include <vector>

namespace sartor::loader {

/// Does with a file what is done with libraries; aborts if something that is given out lies
/// outside. Returns how far it came: 0 if the file was refused, more for each step.
int look_at_elf(std::vector<std::byte> bytes);

} // namespace sartor::loader

#endif
