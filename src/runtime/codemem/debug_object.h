// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_DEBUG_OBJECT_H
#define SARTOR_RUNTIME_CODEMEM_DEBUG_OBJECT_H

#include <cstdint>
#include <string>

#include "core/image/image.h"

namespace sartor::runtime {

/// What a debugger reads of a piece of code that lies at an address: an ELF object with the names
/// of its functions and how to unwind them. The code itself is not in it.
std::string debug_object(const core::Image &image, std::uint64_t code);

} // namespace sartor::runtime

#endif
