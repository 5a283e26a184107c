// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MARKS_PARAMETERS_H
#define SARTOR_COMPILER_FRONTEND_MARKS_PARAMETERS_H

#include <map>
#include <optional>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <sartor/bound_argument.hpp>

#include "core/space/signature.h"

namespace sartor::compiler {

/// The prefix of annotations that contain a signature's text: of a function, or of the variable
/// that receives a call's result.
constexpr const char *kSignatureAnnotation = "sartor.signature:";

/// Attaches the signatures in the front end's annotations to the functions, as metadata that moves
/// along with them.
void read_signatures(llvm::Module &module);
/// Removes the annotations of variables, which would keep the variables in memory.
void erase_signatures(llvm::Module &module);

/// Returns the signature in a variable's annotation, of the function whose result the variable
/// receives; null if there is none.
llvm::MDNode *called_signature(const llvm::Value &variable);
void set_signature(llvm::Function &function, llvm::MDNode *signature);
/// Removes signatures from code that is not queried for them. LLVM's passes search for more
/// metadata where some exists, and a context writes every metadata kind it has been asked for into
/// all bitcode it makes afterwards.
void forget_signatures(llvm::Module &module);

/// Returns the signature that the front end recorded, if any.
std::optional<core::Signature> written_signature(const llvm::Function &function);
/// Returns how a function's parameters became arguments. Without a record of the front end, this is
/// derived from the code if all parameters are certainly scalars; otherwise nothing.
std::optional<core::Signature> signature_of(const llvm::Function &function);

/// The value of an IR argument whose parameter is bound.
struct FixedArgument {
  llvm::Constant *value;
  /// True if the value is the content of the memory that the argument points to.
  bool is_in_memory = false;
};
using FixedArguments = std::map<unsigned, FixedArgument>; ///< By the argument's index.

/// `bound`: by the parameter's index. Skips arguments that do not fit the function; callers reject
/// those before (sartor::fit_arguments()).
FixedArguments fixed_arguments(const llvm::Function &function,
                               const std::map<unsigned, BoundArgument> &bound);

/// Creates a constant variable with the contents of the memory that an argument points to.
llvm::GlobalVariable *make_contents(llvm::Module &module, const FixedArgument &value,
                                    const llvm::Argument &argument);

} // namespace sartor::compiler

#endif
