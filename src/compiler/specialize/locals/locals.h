// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_LOCALS_LOCALS_H
#define SARTOR_COMPILER_SPECIALIZE_LOCALS_LOCALS_H

#include <string>
#include <vector>

#include <llvm/IR/Function.h>

#include <sartor/remark.hpp>

namespace sartor::compiler {

/// Keeps memory that only `entry` accesses, from a sartor_local() to the next sartor_publish(), in
/// variables. Accesses at known offsets become accesses to variables. A variable is read where the
/// memory becomes the handler's, and written back, if it may have changed, where the memory ceases
/// to be the handler's on some path. Around accesses at unknown offsets, and calls that receive a
/// pointer into the memory (see find_local_places()), variables are written back and read again;
/// before calls that may throw out of the function or do not return, they are written back. Callees
/// are inlined first, so that objects with pointers into the memory become values. This keeps an
/// interpreter's frame in registers, as the virtualized frames of C. Fallin and M. Bernstein,
/// "Partial Evaluation, Whole-Program Compilation", PLDI 2025, section 4. Must be called after
/// everything has been folded; removes all such marks from the module. Adds to `remarks` the marks
/// without effect, and the variables that are written back because of saved pointers.
void keep_locals(llvm::Function &entry, std::vector<Remark> &remarks);

} // namespace sartor::compiler

#endif
