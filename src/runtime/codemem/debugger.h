// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_DEBUGGER_H
#define SARTOR_RUNTIME_CODEMEM_DEBUGGER_H

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "core/image/code_image.h"

namespace sartor::runtime {

/// Registers a piece of code with gdb ("JIT Compilation Interface", GDB manual) while it exists.
/// One thread at a time in the whole process may create or destroy one.
class DebuggerEntry {
public:
  /// `object` is a result of debug_object().
  explicit DebuggerEntry(std::string object);
  DebuggerEntry(DebuggerEntry &&) noexcept;
  DebuggerEntry &operator=(DebuggerEntry &&) = delete;
  ~DebuggerEntry();

  [[nodiscard]] std::size_t bytes() const;

private:
  struct Listed;
  std::unique_ptr<Listed> listed_;
};

/// The right of a piece of code to keep its source lines in memory, for debuggers. All pieces of a
/// process together keep 1 MiB at most, and any number while a debugger is attached. Thread-safe.
class KeptLines {
public:
  explicit KeptLines(const core::CodeImage &image);
  KeptLines(KeptLines &&other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), are_kept_(other.are_kept_) {}
  KeptLines &operator=(KeptLines &&) = delete;
  ~KeptLines();

  [[nodiscard]] bool are_kept() const { return are_kept_; }

private:
  std::size_t bytes_ = 0;
  bool are_kept_;
};

} // namespace sartor::runtime

#endif
