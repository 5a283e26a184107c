// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/request/native_call.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <ffi.h>

#include "base/contain.h"

namespace sartor::core {

namespace {

ffi_type *ffi_type_of(NativeCall::Type type) {
  static const std::array types{
      &ffi_type_uint8,  &ffi_type_sint8,  &ffi_type_uint16,  &ffi_type_sint16, &ffi_type_uint32,
      &ffi_type_sint32, &ffi_type_uint64, &ffi_type_pointer, &ffi_type_float,  &ffi_type_double};
  return types.at(std::to_underlying(type));
}

/// A call, ready to be made.
struct Prepared {
  NativeCall call;
  std::vector<ffi_type *> types = {};
  std::vector<void *> values = {};
  ffi_cif interface = {};
  bool has_thrown = false;
};

std::uint64_t make(void *context) {
  auto &prepared = *static_cast<Prepared *>(context);
  std::uint64_t result = 0;
  try {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the library's idea of a function pointer
    ffi_call(&prepared.interface, reinterpret_cast<void (*)()>(prepared.call.address), &result,
             prepared.values.data());
  } catch (...) {
    prepared.has_thrown = true;
  }
  return result;
}

} // namespace

std::expected<std::uint64_t, std::string> call_native(NativeCall call) {
  static_assert(std::endian::native == std::endian::little, "narrow values lie first in a word");
  Prepared prepared{std::move(call)};
  for (std::size_t i = 0; i < prepared.call.arguments.size(); ++i) {
    prepared.types.push_back(ffi_type_of(prepared.call.types[i]));
    prepared.values.push_back(&prepared.call.arguments[i]);
  }
  if (ffi_prep_cif(&prepared.interface, FFI_DEFAULT_ABI,
                   static_cast<unsigned>(prepared.types.size()), ffi_type_of(prepared.call.result),
                   prepared.types.data()) != FFI_OK)
    return std::unexpected("it cannot be called");
  std::uint64_t result = 0;
  const int outcome = sartor_contain(make, &prepared, &result);
  if (outcome > 0)
    return std::unexpected("SIG" + std::string(sigabbrev_np(outcome)));
  if (outcome != 0)
    return std::unexpected("no process could be started for it, or it was ended");
  if (prepared.has_thrown)
    return std::unexpected("an exception");
  return result;
}

} // namespace sartor::core
