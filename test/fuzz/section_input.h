// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_SECTION_INPUT_H
#define SARTOR_TEST_FUZZ_SECTION_INPUT_H

#include <cstddef>
#include <string_view>

namespace sartor::compiler {

/// Takes a section of framed bitcode apart; aborts if the frames are larger than the section, or do
/// not reproduce it. Returns their number; 0 if it is refused. LLVM reads the content of frames,
/// which is not tested here.
std::size_t look_at_section(std::string_view section);

} // namespace sartor::compiler

#endif
