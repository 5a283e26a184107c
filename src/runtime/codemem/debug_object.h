// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_DEBUG_OBJECT_H
#define SARTOR_RUNTIME_CODEMEM_DEBUG_OBJECT_H

#include <cstdint>
#include <string>

#include "core/image/code_image.h"

namespace sartor::runtime {

/// Creates an ELF object by which a debugger recognizes a piece of code at an address: with the
/// names of its functions, their unwind information and their source lines, without the code
/// itself.
std::string debug_object(const core::CodeImage &image, std::uint64_t code);

} // namespace sartor::runtime

#endif
