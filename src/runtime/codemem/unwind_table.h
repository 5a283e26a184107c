// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_UNWIND_TABLE_H
#define SARTOR_RUNTIME_CODEMEM_UNWIND_TABLE_H

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "runtime/codemem/frames.h"

namespace sartor::runtime {

/// Functions of libgcc by which unwind tables are registered with an unwinder and removed.
struct Unwinder {
  void (*registers)(void *) = nullptr;
  void (*deregisters)(void *) = nullptr;
};

/// Finds the unwinder that the program has linked statically, which does not know the tables
/// registered with the shared one: if a variant's tables were not registered with it, an exception
/// thrown in such a program would end it at the first frame of a variant. The functions are null if
/// there is none. `program` contains the addresses of the program's names.
Unwinder unwinder_of(const std::map<std::string, void *, std::less<>> &program);

/// Registers a piece of code with the unwinders while it exists. One thread at a time may use this
/// class.
class UnwindTable {
public:
  /// `table` has the format of .eh_frame and ends with four zero bytes; if it is null, nothing is
  /// registered. `code` is in whole cache lines.
  UnwindTable(void *table, std::span<const std::byte> code, Unwinder programs);
  UnwindTable(UnwindTable &&other) noexcept
      : table_(std::exchange(other.table_, nullptr)), code_(other.code_),
        header_(std::move(other.header_)), programs_(other.programs_) {}
  UnwindTable &operator=(UnwindTable &&) = delete;
  ~UnwindTable();

private:
  void *table_;
  std::span<const std::byte> code_;
  /// Null if the table is registered with the unwinder, which then does not query it.
  std::unique_ptr<FramesHeader> header_;
  Unwinder programs_;
};

} // namespace sartor::runtime

#endif
