// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/native_call.h"

#include <utility>

#include "point/foldable.h"

namespace sartor::specialize {

using namespace llvm;

std::optional<NativeCall> native_call(std::uintptr_t address, const Function &function,
                                      std::vector<std::uint64_t> arguments) {
  auto types = point::call_types(function);
  if (!types || arguments.size() != types->arguments.size())
    return std::nullopt;
  return NativeCall{address, types->result, std::move(types->arguments), std::move(arguments)};
}

} // namespace sartor::specialize
