// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_PUT_SECTION_H
#define SARTOR_COMPILER_CODEGEN_PUT_SECTION_H

#include <string>

#include "base/result.h"

namespace sartor::compiler {

/// Implements Compiler::put_section().
Result<void> put_section(const std::string &path, const std::string &name,
                         const std::string &content);

} // namespace sartor::compiler

#endif
