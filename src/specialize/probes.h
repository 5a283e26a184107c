// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_PROBES_H
#define SARTOR_SPECIALIZE_PROBES_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/remark.hpp>

namespace sartor::specialize {

/// Adds a remark for each function with probes of SystemTap: tracers find those of objects, and a
/// variant is in none.
void tell_of_probes(const llvm::Module &module, std::vector<Remark> &remarks);

} // namespace sartor::specialize

#endif
