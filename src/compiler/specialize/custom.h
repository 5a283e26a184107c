// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_CUSTOM_H
#define SARTOR_COMPILER_SPECIALIZE_CUSTOM_H

#include <string>

#include <llvm/IR/Function.h>

#include "base/result.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// Replaces the body of `wrapper`, which calls the generic function with the wrapper's arguments
/// and returns its result, by generated code. Drops all attributes inferred from the old body.
/// Definitions of the code are local to the module, declarations refer to the program. `label` is
/// the subject of errors. Fails with bad_generator, generated_invalid_ir; the module is unusable
/// after a failure.
Result<void> build_custom(llvm::Function &wrapper, const core::Generated &code,
                          const std::string &label);

} // namespace sartor::compiler

#endif
