// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_PUT_SECTION_H
#define SARTOR_COMPILE_PUT_SECTION_H

#include <string>

#include "observe/result.h"

namespace sartor::jit {

/// See Compiler::put_section().
Result<void> put_section(const std::string &path, const std::string &name,
                         const std::string &content);

} // namespace sartor::jit

#endif
