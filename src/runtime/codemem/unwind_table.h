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

/// What an unwinder is told with of tables that come and go: functions of libgcc's.
struct Unwinder {
  void (*registers)(void *) = nullptr;
  void (*deregisters)(void *) = nullptr;
};

/// The unwinder that the program has linked statically, which knows nothing of what the shared one
/// is told: without it, an exception thrown in such a program ends it at the first frame of a
/// variant. Null functions if it has none. `program`: the addresses of the program's names.
Unwinder unwinder_of(const std::map<std::string, void *, std::less<>> &program);

/// Has the unwinders know of a piece of code for as long as this is there: one at a time.
class UnwindTable {
public:
  /// `table`: as .eh_frame, ends with four bytes of zero; none if null. `code` is in whole lines of
  /// the cache.
  UnwindTable(void *table, std::span<const std::byte> code, Unwinder programs);
  UnwindTable(UnwindTable &&other) noexcept
      : table_(std::exchange(other.table_, nullptr)), code_(other.code_),
        header_(std::move(other.header_)), programs_(other.programs_) {}
  UnwindTable &operator=(UnwindTable &&) = delete;
  ~UnwindTable();

private:
  void *table_;
  std::span<const std::byte> code_;
  std::unique_ptr<FramesHeader> header_; ///< Null if the unwinder is told, and does not ask.
  Unwinder programs_;
};

} // namespace sartor::runtime

#endif
