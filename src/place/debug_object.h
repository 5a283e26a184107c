// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLACE_DEBUG_OBJECT_H
#define SARTOR_PLACE_DEBUG_OBJECT_H

#include <cstdint>
#include <string>

#include "image/image.h"

namespace sartor::place {

/// What a debugger reads of a piece of code that lies at an address: an ELF object with the names
/// of its functions and how to unwind them. The code itself is not in it.
std::string debug_object(const image::Image &image, std::uint64_t code);

} // namespace sartor::place

#endif
