// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/native_call.h"

#include <utility>

#include "compiler/frontend/foldable.h"

namespace sartor::compiler {

using namespace llvm;

std::optional<core::NativeCall> native_call(std::uintptr_t address, const Function &function,
                                            std::vector<std::uint64_t> arguments) {
  auto types = compiler::call_types(function);
  if (!types || arguments.size() != types->arguments.size())
    return std::nullopt;
  return core::NativeCall{address, types->result, std::move(types->arguments),
                          std::move(arguments)};
}

} // namespace sartor::compiler
