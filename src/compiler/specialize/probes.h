// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_PROBES_H
#define SARTOR_COMPILER_SPECIALIZE_PROBES_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/remark.hpp>

namespace sartor::compiler {

/// Adds a remark for each function with SystemTap probes: tracers find probes in object files, and
/// a variant belongs to none.
void report_probes(const llvm::Module &module, std::vector<Remark> &remarks);

} // namespace sartor::compiler

#endif
