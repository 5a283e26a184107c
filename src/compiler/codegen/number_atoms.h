// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_NUMBER_ATOMS_H
#define SARTOR_COMPILER_CODEGEN_NUMBER_ATOMS_H

namespace llvm {
class Module;
}

namespace sartor::compiler {

/// Numbers the atom groups of source locations by their order in each function. LLVM numbers them
/// by what it has compiled before, so the bitcode of equal modules would differ.
void number_atoms(llvm::Module &module);

} // namespace sartor::compiler

#endif
