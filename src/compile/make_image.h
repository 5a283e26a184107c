// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_MAKE_IMAGE_H
#define SARTOR_JIT_MAKE_IMAGE_H

#include <string>

#include "image/image.h"
#include "observe/result.h"

namespace sartor::jit {

/// The image of an object file that is entered at the function `entry`: sections that it needs laid
/// out, and references among them settled, by LLVM's JITLink. Fails with compile_failed.
Result<image::Image> make_image(const std::string &object, const std::string &entry);

} // namespace sartor::jit

#endif
