// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/comparison_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <sys/mman.h>

#include "base/map_pages.h"

namespace sartor::runtime {

namespace {

template <class Float>
bool are_close(const std::byte *one, const std::byte *other, double tolerance) {
  Float a;
  Float b;
  std::memcpy(&a, one, sizeof a);
  std::memcpy(&b, other, sizeof b);
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  // Infinities and numbers that are not compare as different here.
  return std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b)) && std::isfinite(a) &&
         std::isfinite(b);
}

template <class Float>
std::optional<std::size_t> first_distant(std::span<const std::byte> one,
                                         std::span<const std::byte> other, double tolerance) {
  for (std::size_t i = 0; i + sizeof(Float) <= one.size(); i += sizeof(Float))
    if (!are_close<Float>(&one[i], &other[i], tolerance))
      return i;
  return std::nullopt;
}

} // namespace

ComparisonMemories::~ComparisonMemories() {
  for (const Slot &slot : slots_)
    if (ComparisonMemory *const memory = slot.memory)
      munmap(memory, sizeof(ComparisonMemory));
}

ComparisonMemory *ComparisonMemories::acquire() {
  for (Slot &slot : slots_) {
    if (slot.is_used.exchange(true, std::memory_order_acquire))
      continue;
    ComparisonMemory *memory = slot.memory.load(std::memory_order_relaxed);
    if (!memory) {
      memory = static_cast<ComparisonMemory *>(base::map_pages(sizeof(ComparisonMemory)));
      slot.memory.store(memory, std::memory_order_relaxed);
    }
    if (memory)
      return memory;
    slot.is_used.store(false, std::memory_order_release);
    return nullptr;
  }
  return nullptr;
}

void ComparisonMemories::release(const ComparisonMemory *memory) {
  if (!memory) // as is that of a slot whose first user is about to map it
    return;
  for (Slot &slot : slots_)
    if (slot.memory.load(std::memory_order_relaxed) == memory)
      slot.is_used.store(false, std::memory_order_release);
}

void ComparisonMemories::reset_in_child() {
  for (Slot &slot : slots_)
    slot.is_used.store(false, std::memory_order_relaxed);
}

std::optional<std::size_t> first_difference(std::span<const std::byte> one,
                                            std::span<const std::byte> other, ByteForm form) {
  if (!form.mask && std::memcmp(one.data(), other.data(), one.size()) == 0)
    return std::nullopt;
  if (form.inexact_floats == sizeof(float))
    return first_distant<float>(one, other, form.tolerance);
  if (form.inexact_floats == sizeof(double))
    return first_distant<double>(one, other, form.tolerance);
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto counts = std::byte{form.mask ? form.mask[i] : static_cast<unsigned char>(0xff)};
    if (((one[i] ^ other[i]) & counts) != std::byte{0})
      return i;
  }
  return std::nullopt;
}

// An instruction, because the thread sanitizer would see a call.
void copy_racy(std::byte *to, const void *from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

} // namespace sartor::runtime
