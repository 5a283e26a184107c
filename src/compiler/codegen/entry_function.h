// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_ENTRY_FUNCTION_H
#define SARTOR_COMPILER_CODEGEN_ENTRY_FUNCTION_H

#include <map>
#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include <sartor/bound_argument.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// Builds IR of a function like `handler` that enters a read section, calls the function that
/// kEntryTarget (a void **) points to, and leaves the section, also on an exception. It takes the
/// parameters that are not bound; for each parameter in `bound`, by index, it passes the bound
/// argument. With `inlined`, ReadSection is inlined; otherwise functions are called, for processes
/// without membarrier(). Fails with point_not_specializable for a variadic handler.
Result<std::unique_ptr<llvm::Module>> entry_function(llvm::Function &handler,
                                                     const std::map<unsigned, BoundArgument> &bound,
                                                     bool inlined);

} // namespace sartor::compiler

#endif
