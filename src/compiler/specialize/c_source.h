// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_C_SOURCE_H
#define SARTOR_COMPILER_SPECIALIZE_C_SOURCE_H

#include <string>

#include <llvm/IR/Function.h>

#include <sartor/builder.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// Compiles C source text and links it into the module of `wrapper`. Returns its function, which
/// has the wrapper's type; definitions in the text are local to the module, declarations refer to
/// the program. Fails with no_clang, bad_generator (with clang's messages), and as read_module();
/// `label` is the subject.
Result<llvm::Function *> link_c_source(llvm::Function &wrapper, const Builder::CSource &source,
                                       const std::string &label);

} // namespace sartor::compiler

#endif
