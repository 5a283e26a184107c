// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces malloc() and its relatives in the executable by functions that count for each thread.
#include "remote/server/compilers/allocation_limit.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>

#include <malloc.h>

namespace sartor::remote {

namespace {

/// The bytes that a thread may still allocate. Without a limit, `exceeded` is null and the number
/// means nothing.
struct Account {
  std::int64_t left;
  AllocationLimit::Exceeded exceeded;
};

constinit thread_local Account account{0, nullptr};

} // namespace

AllocationLimit::AllocationLimit(std::uint64_t bytes, Exceeded exceeded) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  account = {static_cast<std::int64_t>(std::min(bytes, kMost)), exceeded};
}

AllocationLimit::~AllocationLimit() { account.exceeded = nullptr; }

std::uint64_t AllocationLimit::left() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(account.left, 0));
}

} // namespace sartor::remote

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) &&                       \
    !__has_feature(memory_sanitizer)

using sartor::remote::account;

extern "C" {

// The functions of the C library under names that are not replaced.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *memory, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void *memory);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

} // extern "C"

namespace {

/// Called before an allocation. A size that no allocation can have fails in the C library.
void check(std::size_t size) {
  if (!account.exceeded || account.left >= static_cast<std::int64_t>(size))
    return;
  const auto exceeded = account.exceeded;
  account.exceeded = nullptr; // which may allocate
  exceeded();
}

void *charge(void *memory) {
  account.left -= static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void credit(void *memory) { account.left += static_cast<std::int64_t>(malloc_usable_size(memory)); }

} // namespace

#define SARTOR_REPLACES __attribute__((visibility("default")))

extern "C" {

SARTOR_REPLACES void *malloc(std::size_t size) noexcept {
  check(size);
  return charge(__libc_malloc(size));
}

SARTOR_REPLACES void *calloc(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(count, size, &bytes))
    check(bytes);
  return charge(__libc_calloc(count, size));
}

SARTOR_REPLACES void *realloc(void *memory, std::size_t size) noexcept {
  const std::size_t before = malloc_usable_size(memory);
  if (size > before)
    check(size - before);
  void *const after = __libc_realloc(memory, size);
  if (after || size == 0)
    account.left += static_cast<std::int64_t>(before);
  return charge(after);
}

SARTOR_REPLACES void *memalign(std::size_t alignment, std::size_t size) noexcept {
  check(size);
  return charge(__libc_memalign(alignment, size));
}

SARTOR_REPLACES void *aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}

SARTOR_REPLACES int posix_memalign(void **memory, std::size_t alignment,
                                   std::size_t size) noexcept {
  void *const made = memalign(alignment, size);
  if (!made)
    return ENOMEM;
  *memory = made;
  return 0;
}

SARTOR_REPLACES void free(void *memory) noexcept {
  credit(memory);
  __libc_free(memory);
}

} // extern "C"

#endif
