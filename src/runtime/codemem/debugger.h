// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_DEBUGGER_H
#define SARTOR_RUNTIME_CODEMEM_DEBUGGER_H

#include <memory>
#include <string>

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

} // namespace sartor::runtime

#endif
