// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_MAKE_IMAGE_H
#define SARTOR_COMPILER_CODEGEN_MAKE_IMAGE_H

#include <string>

#include "base/result.h"
#include "core/image/code_image.h"

namespace sartor::compiler {

/// Makes the image of an object file with the function `entry` as its entry: the sections that
/// `entry` needs are laid out, and references among them are resolved, by LLVM's JITLink. Fails
/// with compile_failed.
Result<core::CodeImage> make_image(const std::string &object, const std::string &entry);

} // namespace sartor::compiler

#endif
