// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CODEMEM_IMAGE_OF_H
#define SARTOR_TEST_CODEMEM_IMAGE_OF_H

#include <string>

#include "base/result.h"
#include "core/image/code_image.h"

namespace sartor::runtime {

/// Compiles IR for this machine into an image whose entry is the named function. Throws if the text
/// is not valid IR.
Result<core::CodeImage> try_image_of(const char *text, const std::string &entry);
core::CodeImage image_of(const char *text, const std::string &entry);

} // namespace sartor::runtime

#endif
