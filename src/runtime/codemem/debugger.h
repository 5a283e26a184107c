// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_DEBUGGER_H
#define SARTOR_RUNTIME_CODEMEM_DEBUGGER_H

#include <memory>
#include <string>

namespace sartor::runtime {

/// What gdb is told of one piece of code ("JIT Compilation Interface", GDB manual), for as long as
/// this is there. Made and destroyed by one thread at a time in the whole process.
class DebuggerEntry {
public:
  /// `object`: as debug_object() has it.
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
