// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_DESCRIPTOR_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_DESCRIPTOR_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "base/thread/futex.h"
#include "base/thread/mutex.h"
#include "runtime/assumptions/pages/page_table.h"

namespace sartor::runtime {

/// A new userfaultfd.
struct FaultFile {
  int file; ///< Negative if there is none; errno says why.
  bool reports_system_calls;
};
/// Opens the best one that this process may open. The caller closes it.
FaultFile open_fault_file(int flags);

/// A write to a protected page, and the thread that it has stopped.
struct Fault {
  std::uintptr_t address;
  pid_t thread;
};

/// The kernel's userfaultfd in write-protect mode. The program can neither close it nor open
/// another file under its number: the descriptor is in the table of an internal thread, the owner,
/// which makes calls on it for other threads. No function allocates memory.
class FaultDescriptor {
public:
  /// Makes the calling thread the owner and closes all descriptors that it has; threads that it
  /// starts share its table. The descriptor also reports writes by system calls if the process may
  /// open such a one. Returns 0 or the error's number.
  int open();
  /// Called in a child process, which has no descriptor.
  void after_fork_in_child();
  [[nodiscard]] bool is_open() const { return is_open_.load(std::memory_order_acquire); }

  /// Protects a range of whole pages (`size` in bytes). Any thread may call it. Returns 0 or an
  /// error's number.
  int protect(std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);
  /// Ends the protection of such a range; threads that have stopped at it continue.
  void unprotect(std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);
  /// Removes such a range from the kernel's registration.
  void forget(std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);

  /// Executes the calls that other threads have requested. Called by the owner only.
  void serve();
  /// The bell that is rung when a thread has requested a call.
  [[nodiscard]] base::Bell &bell() { return bell_; }
  [[nodiscard]] static bool is_owner();
  void wake(std::uintptr_t page, std::size_t size) const;

  /// Waits for the next fault. Called by a thread that the owner has started. Returns nullopt if it
  /// is to be called again.
  [[nodiscard]] std::optional<Fault> next() const;

private:
  enum class Call : unsigned char { protect, unprotect, forget };
  enum Stage : std::uint32_t { kIdle, kAsked, kDone };

  int make(Call call, std::uintptr_t page, std::size_t size) SARTOR_REQUIRES(page_lock);
  [[nodiscard]] int make_here(Call call, std::uintptr_t page, std::size_t size) const;
  [[nodiscard]] int protect_here(std::uintptr_t page, std::size_t size) const;

  int file_ = -1;
  std::atomic<bool> is_open_{false};
  bool touches_ = false; ///< Pages must be present to be protected (before Linux 6.4).

  // The requested call; the stage says whether the requester or the owner may use it.
  Call call_ = Call::protect;
  std::uintptr_t page_ = 0;
  std::size_t size_ = 0;
  int result_ = 0;
  std::atomic<std::uint32_t> stage_{kIdle};
  base::Bell bell_;
};

} // namespace sartor::runtime

#endif
