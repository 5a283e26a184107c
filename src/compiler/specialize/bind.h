// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_BIND_H
#define SARTOR_COMPILER_SPECIALIZE_BIND_H

#include <map>
#include <vector>

#include <llvm/IR/Function.h>

#include <sartor/bound_argument.hpp>

namespace sartor::compiler {

/// Makes a handler's function use the bound arguments of its parameters, by index; the arguments
/// passed for them are ignored. Recursive calls still pass arguments of their own: to the native
/// code, unless they are inlined, if that has the same parameters (`is_native_elsewhere`) and
/// exists; otherwise to an unbound copy. Returns the indices of the parameters that the function
/// does not use.
std::vector<unsigned> bind_arguments(llvm::Function &entry,
                                     const std::map<unsigned, BoundArgument> &arguments,
                                     bool is_native_elsewhere);

} // namespace sartor::compiler

#endif
