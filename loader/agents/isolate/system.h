// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_SYSTEM_H
#define SARTOR_LOADER_AGENTS_ISOLATE_SYSTEM_H

#include <cstdint>

#include <asm/unistd.h>

namespace sartor::isolate {

/// Makes a system call directly, where the C library cannot be used: its functions may use vector
/// registers, which hold a call's arguments, and they set `errno`.
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

/// Returns the rights of this thread to the memory of each protection key (PKRU): two bits for each
/// key.
inline std::uint32_t read_rights() {
  std::uint32_t rights, high;
  __asm__ volatile("rdpkru" : "=a"(rights), "=d"(high) : "c"(0));
  return rights;
}

inline void write_rights(std::uint32_t rights) {
  __asm__ volatile("wrpkru" ::"a"(rights), "c"(0), "d"(0) : "memory");
}

/// Writes a line to standard error and ends the process, after an error that the program cannot
/// handle.
[[noreturn]] void give_up(const char *what);

} // namespace sartor::isolate

#endif
