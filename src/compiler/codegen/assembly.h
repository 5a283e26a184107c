// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_ASSEMBLY_H
#define SARTOR_COMPILER_CODEGEN_ASSEMBLY_H

#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Why inline assembly of another process is not assembled; empty if it is. The assembler reads
/// files
/// (.incbin, .include), runs macros and loops, and fills memory (.fill, .rept, .org): only
/// directives that write what they are given, sections, symbols and unwind information are allowed,
/// and alignments up to 4096.
std::string directive_problem(llvm::StringRef assembly);

/// The same for all inline assembly in a module. Module-level assembly is refused, and so are
/// symbols that would be read as directives where an operand names them.
std::string assembly_problem(const llvm::Module &module);

} // namespace sartor::compiler

#endif
