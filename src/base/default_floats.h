// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_DEFAULT_FLOATS_H
#define SARTOR_BASE_DEFAULT_FLOATS_H

#include <cstdint>

namespace sartor::base {

/// While one exists, its thread computes in the default floating-point environment, whatever the
/// program has set: rounding, traps, denormal modes. The destructor restores everything, including
/// raised exception flags. For use on the program's threads.
class DefaultFloats {
public:
  DefaultFloats() {
    __asm__ volatile("fnstcw %0\n\tstmxcsr %1" : "=m"(x87_), "=m"(sse_));
    const std::uint16_t x87 = 0x37f;
    const std::uint32_t sse = 0x1f80;
    __asm__ volatile("fldcw %0\n\tldmxcsr %1" : : "m"(x87), "m"(sse) : "memory");
  }
  ~DefaultFloats() {
    __asm__ volatile("fldcw %0\n\tldmxcsr %1" : : "m"(x87_), "m"(sse_) : "memory");
  }
  DefaultFloats(const DefaultFloats &) = delete;
  DefaultFloats &operator=(const DefaultFloats &) = delete;

private:
  std::uint16_t x87_;
  std::uint32_t sse_;
};

} // namespace sartor::base

#endif
