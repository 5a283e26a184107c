// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FAULT_DESCRIPTOR_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FAULT_DESCRIPTOR_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "base/futex.h"
#include "base/mutex.h"
#include "runtime/assumptions/page_table.h"

namespace sartor::runtime {

/// A thread that has stopped at a write.
struct Fault {
  std::uintptr_t address;
  pid_t thread;
};

/// The kernel's userfaultfd in write-protect mode. The program can neither close it nor open
/// another file in its place: it is in a table of descriptors of a thread of ours, its owner, who
/// makes calls on it for others. No function takes memory.
class FaultDescriptor {
public:
  /// Has the calling thread be the owner, and lose all descriptors that it has: threads that it
  /// starts have the same table. The descriptor tells of system calls' writes, too, if the process
  /// may have such a one. Returns 0 or why there is none.
  int open();
  /// In a child, which has none.
  void after_fork_in_child();
  [[nodiscard]] bool is_open() const { return is_open_.load(std::memory_order_acquire); }

  /// By any thread. Returns 0 or an error's number. `size` is in whole pages.
  int protect(std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);
  /// The same; whoever waits goes on.
  void unprotect(std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);
  /// The same; the kernel knows no more of it.
  void forget(std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);

  /// The owner's. What others have asked for is done.
  void serve();
  /// Rung when somebody has asked.
  [[nodiscard]] base::Bell &bell() { return bell_; }
  [[nodiscard]] static bool is_owner();
  void wake(std::uintptr_t page, std::size_t size) const;

  /// By a thread that the owner has started: waits for the next. Nothing if it is to be asked
  /// again.
  [[nodiscard]] std::optional<Fault> next() const;

private:
  enum class Call : unsigned char { protect, unprotect, forget };
  enum Stage : std::uint32_t { kIdle, kAsked, kDone };

  int make(Call call, std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);
  [[nodiscard]] int make_here(Call call, std::uintptr_t page, std::size_t size) const;
  [[nodiscard]] int protect_here(std::uintptr_t page, std::size_t size) const;

  int file_ = -1;
  std::atomic<bool> is_open_{false};
  bool touches_ = false; ///< Only what is there can be protected: before Linux 6.4.

  // What is asked for; the stage says whose it is.
  Call call_ = Call::protect;
  std::uintptr_t page_ = 0;
  std::size_t size_ = 0;
  int result_ = 0;
  std::atomic<std::uint32_t> stage_{kIdle};
  base::Bell bell_;
};

} // namespace sartor::runtime

#endif
