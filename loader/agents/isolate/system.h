// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_SYSTEM_H
#define SARTOR_LOADER_AGENTS_ISOLATE_SYSTEM_H

#include <cstdint>

#include <asm/unistd.h>

namespace sartor::isolate {

/// The kernel is asked directly where the C library must not be: its functions may use vector
/// registers, in which a call's arguments are, and they set `errno`.
inline long system_call(long number, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0,
                        std::uint64_t d = 0) {
  register std::uint64_t r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

/// What this thread may do with the memory of each protection key: two bits for each.
inline std::uint32_t read_rights() {
  std::uint32_t rights, high;
  __asm__ volatile("rdpkru" : "=a"(rights), "=d"(high) : "c"(0));
  return rights;
}

inline void write_rights(std::uint32_t rights) {
  __asm__ volatile("wrpkru" ::"a"(rights), "c"(0), "d"(0) : "memory");
}

/// Writes a line to standard error and ends the process: something is wrong of which the program
/// cannot be told.
[[noreturn]] void give_up(const char *what);

} // namespace sartor::isolate

#endif
