// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/native_call.h"

#include <bit>

#include <ffi.h>

namespace sartor::specialize {

using namespace llvm;

namespace {

// Callees rely on narrow integers being extended the way their declaration says.
ffi_type *ffi_type_of(const Type &type, bool is_signed) {
  if (type.isPointerTy())
    return &ffi_type_pointer;
  if (type.isFloatTy())
    return &ffi_type_float;
  if (type.isDoubleTy())
    return &ffi_type_double;
  if (!type.isIntegerTy())
    return nullptr;
  switch (type.getIntegerBitWidth()) {
  case 1:
    return &ffi_type_uint8;
  case 8:
    return is_signed ? &ffi_type_sint8 : &ffi_type_uint8;
  case 16:
    return is_signed ? &ffi_type_sint16 : &ffi_type_uint16;
  case 32:
    return is_signed ? &ffi_type_sint32 : &ffi_type_uint32;
  case 64:
    return &ffi_type_uint64;
  default:
    return nullptr;
  }
}

bool is_passed_in_memory(const Argument &argument) {
  return argument.hasByValAttr() || argument.hasStructRetAttr() || argument.hasInAllocaAttr();
}

} // namespace

std::optional<std::uint64_t> call_native(const void *address, const Function &function,
                                         std::vector<std::uint64_t> arguments) {
  static_assert(std::endian::native == std::endian::little, "narrow values lie first in a word");
  ffi_type *result_type = ffi_type_of(*function.getReturnType(), /*is_signed=*/false);
  if (!result_type || function.isVarArg() || arguments.size() != function.arg_size())
    return std::nullopt;
  std::vector<ffi_type *> types;
  std::vector<void *> values;
  for (const Argument &argument : function.args()) {
    types.push_back(ffi_type_of(*argument.getType(), argument.hasSExtAttr()));
    if (!types.back() || is_passed_in_memory(argument))
      return std::nullopt;
    values.push_back(&arguments[argument.getArgNo()]);
  }
  ffi_cif call;
  if (ffi_prep_cif(&call, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), result_type,
                   types.data()) != FFI_OK)
    return std::nullopt;
  std::uint64_t result = 0;
  try {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the library's idea of a function pointer
    ffi_call(&call, reinterpret_cast<void (*)()>(reinterpret_cast<std::uintptr_t>(address)),
             &result, values.data());
  } catch (...) {
    return std::nullopt;
  }
  return result;
}

} // namespace sartor::specialize
