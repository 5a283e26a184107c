// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_WORD_H
#define SARTOR_CORE_PROFILE_WORD_H

#include <atomic>
#include <cstdint>

namespace sartor::core {

/// Accesses words of a block: written by one thread, also by the program's instrumented code, and
/// read by any.
inline std::uint64_t load(std::uint64_t &word) {
  return std::atomic_ref(word).load(std::memory_order_relaxed);
}
inline std::uint64_t load_acquire(std::uint64_t &word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}
inline void store(std::uint64_t &word, std::uint64_t value) {
  std::atomic_ref(word).store(value, std::memory_order_relaxed);
}
inline void store_release(std::uint64_t &word, std::uint64_t value) {
  std::atomic_ref(word).store(value, std::memory_order_release);
}

} // namespace sartor::core

#endif
