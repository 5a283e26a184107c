// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLUGIN_HANDLER_CODE_H
#define SARTOR_PLUGIN_HANDLER_CODE_H

#include <llvm/IR/Module.h>

namespace sartor::plugin {

/// Whether a module whose handlers have been named has anything that a variant may be made of: a
/// handler, a point, a function to fold. Other files have no bitcode worth embedding.
bool holds_handler_code(const llvm::Module &module);

} // namespace sartor::plugin

#endif
