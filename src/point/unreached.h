// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_UNREACHED_H
#define SARTOR_POINT_UNREACHED_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::point {

/// Why no handler reaches a function, as far as its uses show, for people.
std::string why_unreached(const llvm::Function &function);

} // namespace sartor::point

#endif
