// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Differences between the supported versions of LLVM's interface that several files have to do
/// with.
#ifndef SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H
#define SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H

#include <string>

#include <llvm/Config/llvm-config.h>

static_assert(LLVM_VERSION_MAJOR >= 19 && LLVM_VERSION_MAJOR <= 23,
              "Sartor needs LLVM 19 to 23; LLVM " LLVM_VERSION_STRING
              " was found: set SARTOR_LLVM, or CMake's SARTOR_LLVM_VERSION, to an installed one");

#include <llvm/IR/Attributes.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace sartor::compiler {

/// The target of a module, which LLVM before 21 keeps as text.
inline llvm::Triple triple_of(const llvm::Module &module) {
  return llvm::Triple(module.getTargetTriple());
}

/// Sets the target of a module.
void set_triple(auto &module, const auto &triple) {
  if constexpr (requires { module.setTargetTriple(triple); })
    module.setTargetTriple(triple);
  else
    module.setTargetTriple(triple.str());
}

/// True for the operations that make a number of a pointer: two since LLVM 22.
inline bool makes_number_of_pointer(unsigned operation) {
#if LLVM_VERSION_MAJOR >= 22
  if (operation == llvm::Instruction::PtrToAddr)
    return true;
#endif
  return operation == llvm::Instruction::PtrToInt;
}

/// True for a use of a function by the address of a label in it. Addresses of labels use functions,
/// as well as blocks, in older versions of LLVM, and move with their blocks in newer ones.
inline bool is_by_label(const llvm::Use &use) {
  return llvm::isa<llvm::BlockAddress>(use.getUser());
}

/// Replaces a function wherever it is used, but not in addresses of its labels.
inline void replace_function(llvm::Function &function, llvm::Value &by) {
  function.replaceUsesWithIf(&by, [](const llvm::Use &use) { return !is_by_label(use); });
}

/// Returns the reason why a function cannot jump to another of its type with its own arguments
/// (musttail), or nothing. LLVM before 22 copies objects in memory for that, over its own frame.
inline std::string jump_problem([[maybe_unused]] const llvm::Function &function) {
#if LLVM_VERSION_MAJOR < 22
  for (const llvm::Argument &argument : function.args())
    if (argument.hasByValAttr())
      return "takes an object in memory, which jumps of LLVM before 22 do not pass on";
#endif
  return "";
}

/// True if clang loads the plugin's half for the front end with -fpass-plugin= alone: older
/// versions load pass plugins once the front end is done.
constexpr bool kPassPluginsMeetFrontEnd = LLVM_VERSION_MAJOR >= 22;

/// True if LLVM fills the tables of a module's copy once the copy's functions have blocks, whose
/// labels the tables may contain.
constexpr bool kClonedTablesHaveOwnLabels = LLVM_VERSION_MAJOR >= 22;

/// The attribute of pointers that a function does not keep.
inline llvm::Attribute not_captured(llvm::LLVMContext &context) {
#if LLVM_VERSION_MAJOR < 21
  return llvm::Attribute::get(context, llvm::Attribute::NoCapture);
#else
  return llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none());
#endif
}

/// Warns of what belongs to no place in the source; LLVM emits errors in the same way.
inline void warn(llvm::LLVMContext &context, const llvm::Twine &text) {
#if LLVM_VERSION_MAJOR < 20
  using Diagnostic = llvm::DiagnosticInfoInlineAsm;
#else
  using Diagnostic = llvm::DiagnosticInfoGeneric;
#endif
  context.diagnose(Diagnostic(text, llvm::DS_Warning));
}

} // namespace sartor::compiler

#endif
