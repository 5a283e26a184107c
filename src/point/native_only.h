// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_NATIVE_ONLY_H
#define SARTOR_POINT_NATIVE_ONLY_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::point {

/// Why a function must not be compiled into a variant; empty where it may. What is native only
/// leaves addresses of its code behind that outlive a call, means something by its place in the
/// program, or is not what runs there.
std::string native_only_reason(const llvm::Function &function);

/// Makes a function native only.
void keep_native(llvm::Function &function, llvm::StringRef why);

} // namespace sartor::point

#endif
