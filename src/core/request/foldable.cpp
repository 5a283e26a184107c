// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/request/foldable.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace sartor::core {

namespace {

static_assert(std::to_underlying(NativeCall::Type::u8) == SARTOR_SCALAR_U8);
static_assert(std::to_underlying(NativeCall::Type::pointer) == SARTOR_SCALAR_POINTER);
static_assert(std::to_underlying(NativeCall::Type::f64) == SARTOR_SCALAR_F64);

bool has_types_of(const NativeCall &call, const sartor_foldable &function) {
  const auto matches = [](NativeCall::Type type, unsigned char wanted) {
    return std::to_underlying(type) == wanted;
  };
  return call.types.size() == function.parameters && call.arguments.size() == function.parameters &&
         matches(call.result, function.types[0]) &&
         std::ranges::equal(call.types, std::span(function.types + 1, function.parameters),
                            matches);
}

// Empty if the number of bytes overflows.
std::optional<std::uint64_t> bytes_behind(const NativeCall &call, const sartor_extent &extent) {
  std::uint64_t bytes = extent.bytes;
  if (extent.count != SARTOR_ONCE && extent.count != SARTOR_OFFERED &&
      (extent.count >= call.arguments.size() ||
       __builtin_mul_overflow(bytes, call.arguments[extent.count], &bytes)))
    return std::nullopt;
  return std::max<std::uint64_t>(bytes, 1);
}

bool is_within_one_object(const Reached &memory, std::uint64_t address, std::uint64_t bytes) {
  const auto after = std::ranges::upper_bound(memory.objects, address, {}, &Extent::address);
  if (after == memory.objects.begin())
    return false;
  const Extent &object = *std::prev(after);
  return address < object.end && bytes <= object.end - address;
}

bool is_stored_in(const Region &region, std::uint64_t address) {
  if (!region.bytes)
    return false;
  const std::size_t aligned = -region.address % sizeof address;
  for (std::size_t at = aligned; at + sizeof address <= region.bytes->size(); at += sizeof address)
    if (std::memcmp(region.bytes->data() + at, &address, sizeof address) == 0)
      return true;
  return false;
}

// True if the program itself has this pointer.
bool is_offered(const Reached &memory, std::span<const std::uintptr_t> bound,
                std::uint64_t address) {
  return std::ranges::find(bound, address) != bound.end() ||
         std::ranges::binary_search(memory.objects, address, {}, &Extent::address) ||
         std::ranges::binary_search(memory.regions, address, {}, &Region::address) ||
         std::ranges::any_of(memory.regions,
                             [&](const Region &each) { return is_stored_in(each, address); });
}

} // namespace

std::string why_not_callable(const NativeCall &call, std::span<const sartor_foldable> foldables,
                             const Reached &memory, std::span<const std::uintptr_t> bound) {
  const auto function = std::ranges::find_if(foldables, [&](const sartor_foldable &each) {
    return each.function && reinterpret_cast<std::uintptr_t>(each.function) == call.address;
  });
  if (function == foldables.end())
    return "an address that is no function marked SARTOR_FOLD";
  const std::string name = function->name;
  if (!has_types_of(call, *function))
    return name + " with other types than it has";
  if (!function->extents)
    return name + ", as numbers that it is given decide what it reads (declare SARTOR_FOLD_READS)";
  for (std::size_t i = 0; i < call.types.size(); ++i) {
    if (call.types[i] != NativeCall::Type::pointer)
      continue;
    if (call.arguments[i] == 0)
      return name + " with a null pointer";
    const auto bytes = bytes_behind(call, function->extents[i]);
    if (!bytes || !is_within_one_object(memory, call.arguments[i], *bytes))
      return name + " with a pointer behind which it would read more than invariant memory";
    if (function->extents[i].count == SARTOR_OFFERED &&
        !is_offered(memory, bound, call.arguments[i]))
      return name + " with a pointer that the program does not have";
  }
  return {};
}

} // namespace sartor::core
