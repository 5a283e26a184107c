// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FUTEX_H
#define SARTOR_BASE_FUTEX_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sartor::base {

// What waits and wakes by a word of this process's (futex(2)), without a lock and without a
// descriptor: in signal handlers, too. Changes errno.

/// Returns when somebody has woken those who wait for it, at once if it is another value, or
/// earlier: whoever waits looks again.
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

/// Tells a thread that there is something to look at.
class Bell {
public:
  void ring() {
    rings_.fetch_add(1, std::memory_order_release);
    wake_all(rings_);
  }
  /// To be read before looking.
  [[nodiscard]] std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  /// Until it has been rung since, or for so long.
  void wait(std::uint32_t since) const { wait_while(rings_, since); }
  void wait(std::uint32_t since, const timespec &longest) const {
    wait_while(rings_, since, longest);
  }

private:
  std::atomic<std::uint32_t> rings_{0};
};

} // namespace sartor::base

#endif
