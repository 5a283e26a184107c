// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_DEBUG_SECTIONS_H
#define SARTOR_COMPILER_CODEGEN_DEBUG_SECTIONS_H

#include <string>
#include <vector>

#include "core/image/code_image.h"

namespace sartor::compiler {

/// Returns the debug information in the object file that `image` was made of. Empty on other
/// architectures than x86-64, whose images are for devices.
std::vector<core::DebugSection> debug_sections(const std::string &object,
                                               const core::CodeImage &image);

} // namespace sartor::compiler

#endif
