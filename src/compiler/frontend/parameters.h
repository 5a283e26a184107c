// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PARAMETERS_H
#define SARTOR_COMPILER_FRONTEND_PARAMETERS_H

#include <map>
#include <optional>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <sartor/bound_argument.hpp>

#include "core/space/signature.h"

namespace sartor::compiler {

/// An annotation that begins so goes on with a signature's text: of a function, or of the variable
/// that a call's result is put into.
constexpr const char *kSignatureAnnotation = "sartor.signature:";

/// Has functions know the signatures that the front end's annotations tell: as metadata, which goes
/// wherever the functions go.
void read_signatures(llvm::Module &module);
/// Removes the annotations of variables, which would keep them in memory.
void erase_signatures(llvm::Module &module);

/// What a variable's annotation says of the function whose result it is for; null if nothing.
llvm::MDNode *called_signature(const llvm::Value &variable);
void set_signature(llvm::Function &function, llvm::MDNode *signature);
/// For code that nobody will ask. LLVM's passes look for more metadata where there is some, and
/// what a context has been asked for is written into all bitcode that it makes from then on.
void forget_signatures(llvm::Module &module);

/// What the front end has told.
std::optional<core::Signature> written_signature(const llvm::Function &function);
/// How a function's parameters became arguments. Where the front end has not told: what the code
/// itself leaves no doubt about, which is that all are scalars; otherwise nothing.
std::optional<core::Signature> signature_of(const llvm::Function &function);

/// What an argument of the IR's is where its parameter is bound.
struct FixedArgument {
  llvm::Constant *value;
  /// Not the argument itself, but what is in the memory that it points to.
  bool is_in_memory = false;
};
using FixedArguments = std::map<unsigned, FixedArgument>; ///< By the argument's number.

/// `bound`: by the parameter's index. Leaves out arguments that the function has no place for;
/// callers refuse those before (sartor::fit_arguments()).
FixedArguments fixed_arguments(const llvm::Function &function,
                               const std::map<unsigned, BoundArgument> &bound);

/// A constant variable with the contents of memory that an argument points to.
llvm::GlobalVariable *make_contents(llvm::Module &module, const FixedArgument &value,
                                    const llvm::Argument &argument);

} // namespace sartor::compiler

#endif
