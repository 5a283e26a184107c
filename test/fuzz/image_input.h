// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_IMAGE_INPUT_H
#define SARTOR_TEST_FUZZ_IMAGE_INPUT_H

#include <string>
#include <string_view>

#include "core/image/code_image.h"

namespace sartor::core {

/// An image with every kind of content; its code is not executable code.
CodeImage some_image();

/// Reads an image and, if it can be read, fills it in memory of exactly the size that it states.
/// Aborts if the bytes differ from those that pack_image() makes. Returns whether it could be read.
bool look_at_image(std::string_view bytes);

} // namespace sartor::core

#endif
