// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_MAKE_IMAGE_H
#define SARTOR_COMPILER_CODEGEN_MAKE_IMAGE_H

#include <string>

#include "base/result.h"
#include "core/image/image.h"

namespace sartor::compiler {

/// The image of an object file that is entered at the function `entry`: sections that it needs laid
/// out, and references among them settled, by LLVM's JITLink. Fails with compile_failed.
Result<core::Image> make_image(const std::string &object, const std::string &entry);

} // namespace sartor::compiler

#endif
