// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_FAULT_DESCRIPTOR_H
#define SARTOR_INVARIANT_FAULT_DESCRIPTOR_H

#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace sartor::invariant {

/// A thread that has stopped at a write.
struct Fault {
  std::uintptr_t address;
  pid_t thread;
};

/// The kernel's userfaultfd in write-protect mode. Thread-safe; no function takes memory.
class FaultDescriptor {
public:
  /// One that tells of system calls' writes, too, if the process may have it. Returns 0 or why
  /// there is none.
  int open();
  void close();
  [[nodiscard]] int file() const { return file_; }

  /// Each returns 0 or an error's number. `size` is in whole pages.
  int protect(std::uintptr_t page, std::size_t size) const;
  /// Whoever waits goes on.
  void unprotect(std::uintptr_t page, std::size_t size) const;
  void wake(std::uintptr_t page, std::size_t size) const;
  /// The kernel knows no more of it.
  void forget(std::uintptr_t page, std::size_t size) const;

  /// Nothing if there is none at the moment.
  [[nodiscard]] std::optional<Fault> next() const;

private:
  int file_ = -1;
  bool touches_ = false; ///< Only what is there can be protected: before Linux 6.4.
};

} // namespace sartor::invariant

#endif
