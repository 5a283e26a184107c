// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_PACK_H
#define SARTOR_CORE_IMAGE_PACK_H

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/image/code_image.h"

namespace sartor::core {

/// Code is aligned to at most a page.
inline constexpr std::uint32_t kMostAlignment = 4096;

/// Serializes an image, to the same bytes on every machine.
std::string pack_image(const CodeImage &image);

/// Parses the output of pack_image(). The bytes may be untrusted: everything that placing the image
/// depends on is checked. The behavior of the code is not checked; it must be authenticated
/// otherwise. Fails with file_error.
Result<CodeImage> unpack_image(std::string_view packed);

} // namespace sartor::core

#endif
