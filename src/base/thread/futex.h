// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_FUTEX_H
#define SARTOR_BASE_THREAD_FUTEX_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sartor::base {

// Waiting on and waking by a word of this process (futex(2)), without a lock and without a
// descriptor; usable in signal handlers. Changes errno.

/// Returns when the word was woken, at once if it has another value, or spuriously: the caller must
/// check again.
inline void wait_while(const std::atomic<std::uint32_t> &word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
inline void wait_while(const std::atomic<std::uint32_t> &word, std::uint32_t value,
                       const timespec &longest) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &longest, nullptr, 0);
}

inline void wake_all(const std::atomic<std::uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

/// Notifies a thread that there is work.
class Bell {
public:
  void ring() {
    rings_.fetch_add(1, std::memory_order_release);
    wake_all(rings_);
  }
  /// Read it before checking for work.
  [[nodiscard]] std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  /// Waits until it was rung after `since`, or for the given time.
  void wait(std::uint32_t since) const { wait_while(rings_, since); }
  void wait(std::uint32_t since, const timespec &longest) const {
    wait_while(rings_, since, longest);
  }

private:
  std::atomic<std::uint32_t> rings_{0};
};

} // namespace sartor::base

#endif
