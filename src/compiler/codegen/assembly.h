// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_ASSEMBLY_H
#define SARTOR_COMPILER_CODEGEN_ASSEMBLY_H

#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Returns the reason why inline assembly from another process is refused; empty if it is allowed.
/// The assembler reads files (.incbin, .include), runs macros and loops, and fills memory (.fill,
/// .rept, .org): only directives that write their arguments, sections, symbols and unwind
/// information are allowed, and alignments up to 4096.
std::string directive_problem(llvm::StringRef assembly);

/// Checks all inline assembly of a module in the same way. Module-level assembly is refused, and so
/// are symbols that an operand would make the assembler read as directives.
std::string assembly_problem(const llvm::Module &module);

} // namespace sartor::compiler

#endif
