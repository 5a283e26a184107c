// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/native_call.h"

#include <utility>

namespace sartor::specialize {

using namespace llvm;

namespace {

// Callees rely on narrow integers being extended the way their declaration says.
std::optional<NativeCall::Type> type_of(const Type &type, bool is_signed) {
  using enum NativeCall::Type;
  if (type.isPointerTy())
    return pointer;
  if (type.isFloatTy())
    return f32;
  if (type.isDoubleTy())
    return f64;
  if (!type.isIntegerTy())
    return std::nullopt;
  switch (type.getIntegerBitWidth()) {
  case 1:
    return u8;
  case 8:
    return is_signed ? s8 : u8;
  case 16:
    return is_signed ? s16 : u16;
  case 32:
    return is_signed ? s32 : u32;
  case 64:
    return u64;
  default:
    return std::nullopt;
  }
}

bool is_passed_in_memory(const Argument &argument) {
  return argument.hasByValAttr() || argument.hasStructRetAttr() || argument.hasInAllocaAttr();
}

} // namespace

std::optional<NativeCall> native_call(std::uintptr_t address, const Function &function,
                                      std::vector<std::uint64_t> arguments) {
  const auto result = type_of(*function.getReturnType(), /*is_signed=*/false);
  if (!result || function.isVarArg() || arguments.size() != function.arg_size())
    return std::nullopt;
  NativeCall call{address, *result, {}, std::move(arguments)};
  for (const Argument &argument : function.args()) {
    const auto type = type_of(*argument.getType(), argument.hasSExtAttr());
    if (!type || is_passed_in_memory(argument))
      return std::nullopt;
    call.types.push_back(*type);
  }
  return call;
}

} // namespace sartor::specialize
