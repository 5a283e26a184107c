// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_SYSTEM_H
#define SARTOR_LOADER_FRONT_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include <asm/unistd.h>

/// System calls for the front, which has no C library. Results are the kernel's: errors are
/// negative.
namespace sartor::front {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

inline bool is_error(long result) { return result < 0 && result > -4096; }
inline bool is_error(const void *address) { return is_error(reinterpret_cast<long>(address)); }

template <class... Arguments> long call(long number, Arguments... arguments) {
  return system_call(number, (long)arguments...);
}

inline void *map(uint64_t address, uint64_t size, int protection, int flags, int file = -1,
                 uint64_t offset = 0) {
  return reinterpret_cast<void *>(call(__NR_mmap, address, size, protection, flags, file, offset));
}

/// Closes a file. Where a filter forbids close(), it is closed otherwise, so that none of the
/// front's files stays open in the program.
inline void close_file(long file) {
  if (is_error(call(__NR_close, file)))
    call(__NR_close_range, file, file, 0);
}

} // namespace sartor::front

#endif
