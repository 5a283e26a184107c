// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_BIND_H
#define SARTOR_COMPILER_SPECIALIZE_BIND_H

#include <map>
#include <vector>

#include <llvm/IR/Function.h>

#include <sartor/bound_argument.hpp>

namespace sartor::compiler {

/// Has a handler's function use what its parameters are bound to, by index; the arguments that it
/// is given for them are ignored. Calls of itself keep passing arguments of their own: to its
/// native code, unless they are inlined, where that is the same (`is_native_elsewhere`), and there
/// is some; else to a copy. Gives the indices of the parameters of which it makes no use.
std::vector<unsigned> bind_arguments(llvm::Function &entry,
                                     const std::map<unsigned, BoundArgument> &arguments,
                                     bool is_native_elsewhere);

} // namespace sartor::compiler

#endif
