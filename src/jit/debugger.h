// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_DEBUGGER_H
#define SARTOR_JIT_DEBUGGER_H

#include <mutex>
#include <utility>

#include "engine/mutex.h"

struct jit_code_entry; // NOLINT(readability-identifier-naming): gdb chose this name

namespace sartor::jit {

/// What gdb is told of one piece of code ("JIT Compilation Interface", GDB manual). LLVM 22 puts an
/// entry into gdb's list when code is linked and never takes it out, so that gdb would read memory
/// that is gone; this takes it out.
class DebuggerEntry {
public:
  /// While one exists, no code is linked anywhere in the process and the list stands still.
  using Lock = std::lock_guard<engine::Mutex>;
  static engine::Mutex &mutex();

  DebuggerEntry() = default;
  /// The newest entry of the list if it is not `before`. With the lock held.
  static DebuggerEntry newer_than(const jit_code_entry *before);
  static const jit_code_entry *newest();

  DebuggerEntry(DebuggerEntry &&other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  DebuggerEntry &operator=(DebuggerEntry &&) = delete;
  ~DebuggerEntry() = default;

  /// Tells gdb that the code is going. With the lock held, before the code's memory is given back.
  void take_out();

private:
  explicit DebuggerEntry(jit_code_entry *entry) : entry_(entry) {}
  jit_code_entry *entry_ = nullptr;
};

} // namespace sartor::jit

#endif
