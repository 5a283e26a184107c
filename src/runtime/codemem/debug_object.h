// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_DEBUG_OBJECT_H
#define SARTOR_RUNTIME_CODEMEM_DEBUG_OBJECT_H

#include <cstdint>
#include <string>

#include "core/image/code_image.h"

namespace sartor::runtime {

/// Creates an ELF object by which a debugger recognizes a piece of code at an address: with the
/// names of its functions and their unwind information, without the code itself. Source lines are
/// in it if they are wanted.
std::string debug_object(const core::CodeImage &image, std::uint64_t code, bool with_lines);

} // namespace sartor::runtime

#endif
