// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_COPY_H
#define READ_COPY_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace files {

constexpr std::size_t kSmall = 16;

template <class Word>
[[gnu::always_inline]] inline void copy_words(char *to, const char *from, std::size_t bytes) {
  Word first;
  Word last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + bytes - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + bytes - sizeof last, &last, sizeof last);
}

/// Copies 1 to kSmall bytes without a call.
[[gnu::always_inline]] inline void copy_small(char *to, const char *from, std::size_t bytes) {
  if (bytes >= 8)
    copy_words<std::uint64_t>(to, from, bytes);
  else if (bytes >= 4)
    copy_words<std::uint32_t>(to, from, bytes);
  else if (bytes >= 2)
    copy_words<std::uint16_t>(to, from, bytes);
  else
    *to = *from;
}

[[gnu::always_inline]] inline void copy(char *to, const char *from, std::size_t bytes) {
  if (bytes - 1 < kSmall)
    copy_small(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

} // namespace files

#endif
