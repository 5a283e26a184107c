// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/unwind_table.h"

#include <new>

// Those that libsartor.so is bound to.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libgcc's names
extern "C" void __register_frame(void *);
extern "C" void __deregister_frame(void *);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace sartor::runtime {

Unwinder unwinder_of(const std::map<std::string, void *, std::less<>> &program) {
  const auto registers = program.find("__register_frame");
  const auto deregisters = program.find("__deregister_frame");
  if (registers == program.end() || deregisters == program.end() || !registers->second ||
      !deregisters->second || registers->second == reinterpret_cast<void *>(&__register_frame))
    return {};
  return {reinterpret_cast<void (*)(void *)>(registers->second),
          reinterpret_cast<void (*)(void *)>(deregisters->second)};
}

UnwindTable::UnwindTable(void *table, std::span<const std::byte> code, Unwinder programs)
    : table_(table), code_(code), programs_(programs) {
  if (!table_)
    return;
  if (Frames::are_asked_for()) {
    header_ = std::make_unique<FramesHeader>(table_);
    if (!Frames::add(code_.data(), code_.size(), header_.get()))
      throw std::bad_alloc();
  } else {
    __register_frame(table_);
  }
  if (programs_.registers)
    programs_.registers(table_);
}

UnwindTable::~UnwindTable() {
  if (!table_)
    return;
  if (programs_.deregisters)
    programs_.deregisters(table_);
  if (header_)
    Frames::remove(code_.data(), code_.size());
  else
    __deregister_frame(table_);
}

} // namespace sartor::runtime
