// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_NATIVE_ONLY_H
#define SARTOR_COMPILER_FRONTEND_NATIVE_ONLY_H

#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Why a function must not be compiled into a variant; empty where it may. What is native only
/// leaves addresses of its code behind that outlive a call, means something by its place in the
/// program, or is not what runs there.
std::string native_only_reason(const llvm::Function &function);

/// Makes a function native only.
void keep_native(llvm::Function &function, llvm::StringRef why);

/// Functions of the C library that look at who calls them: at the object, the search path or the
/// namespace of their return address.
constexpr const char *kCallerSensitive[] = {"dlsym", "dlvsym", "dlopen", "dlmopen",
                                            "dl_iterate_phdr"};

/// Makes functions native only whose inline assembly writes to other sections, and so notes places
/// of the native code there: tables of exceptions, of jumps, of alternatives. Probes of SystemTap
/// are not in the way.
void keep_places_native(llvm::Module &module);

/// Whether inline assembly has such a probe.
[[nodiscard]] bool has_probe(const llvm::InlineAsm &assembly);

} // namespace sartor::compiler

#endif
