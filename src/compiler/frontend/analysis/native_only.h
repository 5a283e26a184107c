// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_NATIVE_ONLY_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_NATIVE_ONLY_H

#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Returns the reason why a function must not be compiled into a variant; empty if it may be. A
/// native-only function leaves addresses of its code behind that outlive a call, depends on its
/// place in the program, or is not the definition that the program runs.
std::string native_only_reason(const llvm::Function &function);

/// Marks a function as native only.
void keep_native(llvm::Function &function, llvm::StringRef why);

/// Functions of the C library that inspect their caller: the object, the search path or the
/// namespace of their return address.
constexpr const char *kCallerSensitive[] = {"dlsym", "dlvsym", "dlopen", "dlmopen",
                                            "dl_iterate_phdr"};

/// Marks functions as native only whose inline assembly writes to other sections and thereby
/// records addresses of the native code: tables of exceptions, jumps, alternatives. SystemTap
/// probes are allowed.
void keep_places_native(llvm::Module &module);

/// True if inline assembly contains a SystemTap probe.
[[nodiscard]] bool has_probe(const llvm::InlineAsm &assembly);

/// Returns the reason why points in this function must stay generic; empty if there is none. A side
/// exit needs a second copy of the function's blocks, which some constructs do not allow.
std::string shape_problem(const llvm::Function &function);

} // namespace sartor::compiler

#endif
