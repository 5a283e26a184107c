// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_PACK_H
#define SARTOR_CORE_IMAGE_PACK_H

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/image/image.h"

namespace sartor::core {

/// Code is aligned to a page at most.
inline constexpr std::uint32_t kMostAlignment = 4096;

/// An image as bytes, the same ones on every machine.
std::string pack_image(const Image &image);

/// Reads what pack_image() has written, wherever it has been since: all that placing the image
/// relies on is checked, so that bytes from anywhere may be given. Whether the code does what it
/// should is for whoever vouches for it. Fails with file_error.
Result<Image> unpack_image(std::string_view packed);

} // namespace sartor::core

#endif
