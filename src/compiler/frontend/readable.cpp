// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/readable.h"

#include "compiler/frontend/prepare.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

std::string readable(const llvm::Function &function) {
  return core::readable_name(is_handler(function) ? handler_name(function)
                                                  : function.getName().str());
}

} // namespace sartor::compiler
