// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_LOCALS_H
#define SARTOR_SPECIALIZE_LOCALS_H

#include <string>
#include <vector>

#include <llvm/IR/Function.h>

namespace sartor::specialize {

/// Keeps memory that nobody else looks at from a sartor_local() to the next sartor_publish() in
/// values: what `entry` reads and writes of it at known places becomes variables, which are read
/// when that time begins and written back, if they may have changed, when it ends or control comes
/// to where it is not known whether it has. Where the place is not known, and where a pointer into
/// the memory is given to a function, variables are written back before and read again after;
/// before calls that may throw out of the function or do not return, they are written back. What an
/// interpreter keeps in its frame is kept in registers so, as in the virtualized frames of C.
/// Fallin and M. Bernstein, "Partial Evaluation, Whole-Program Compilation", PLDI 2025, section 4.
/// Once nothing is folded any more; takes all such marks out of the module. What has no effect goes
/// to `remarks`.
void keep_locals(llvm::Function &entry, std::vector<std::string> &remarks);

} // namespace sartor::specialize

#endif
