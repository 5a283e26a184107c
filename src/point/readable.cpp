// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/readable.h"

#include "point/prepare.h"
#include "space/readable_name.h"

namespace sartor::point {

std::string readable(const llvm::Function &function) {
  return readable_name(is_handler(function) ? handler_name(function) : function.getName().str());
}

} // namespace sartor::point
