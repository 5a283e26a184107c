// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_SECTION_INPUT_H
#define SARTOR_TEST_FUZZ_SECTION_INPUT_H

#include <cstddef>
#include <string_view>

namespace sartor::compiler {

/// Takes a section of framed bitcode apart; aborts if the frames are more than the section, or do
/// not make it again. Returns how many there are; 0 too where it is refused. (What is in a frame is
/// LLVM's to read.)
std::size_t look_at_section(std::string_view section);

} // namespace sartor::compiler

#endif
