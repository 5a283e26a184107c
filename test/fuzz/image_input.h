// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_IMAGE_INPUT_H
#define SARTOR_TEST_FUZZ_IMAGE_INPUT_H

#include <string>
#include <string_view>

#include "core/image/image.h"

namespace sartor::core {

/// An image with everything that there can be in one; its code is none.
Image some_image();

/// Reads an image and, if it can be read, fills it where there is not a byte more than it says it
/// needs; aborts if it was not what pack_image() makes. Returns whether it could be read.
bool look_at_image(std::string_view bytes);

} // namespace sartor::core

#endif
