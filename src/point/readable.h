// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_READABLE_H
#define SARTOR_POINT_READABLE_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::point {

/// A function's name for people: of a handler, the one that programs know it by.
std::string readable(const llvm::Function &function);

} // namespace sartor::point

#endif
