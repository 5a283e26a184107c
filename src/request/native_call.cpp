// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "request/native_call.h"

#include <array>
#include <bit>
#include <utility>

#include <ffi.h>

namespace sartor::specialize {

namespace {

ffi_type *ffi_type_of(NativeCall::Type type) {
  static const std::array types{
      &ffi_type_uint8,  &ffi_type_sint8,  &ffi_type_uint16,  &ffi_type_sint16, &ffi_type_uint32,
      &ffi_type_sint32, &ffi_type_uint64, &ffi_type_pointer, &ffi_type_float,  &ffi_type_double};
  return types.at(std::to_underlying(type));
}

} // namespace

std::optional<std::uint64_t> call_native(NativeCall call) {
  static_assert(std::endian::native == std::endian::little, "narrow values lie first in a word");
  std::vector<ffi_type *> types;
  std::vector<void *> values;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    types.push_back(ffi_type_of(call.types[i]));
    values.push_back(&call.arguments[i]);
  }
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()),
                   ffi_type_of(call.result), types.data()) != FFI_OK)
    return std::nullopt;
  std::uint64_t result = 0;
  try {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the library's idea of a function pointer
    ffi_call(&interface, reinterpret_cast<void (*)()>(call.address), &result, values.data());
  } catch (...) {
    return std::nullopt;
  }
  return result;
}

} // namespace sartor::specialize
