// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/compiler/entry_symbols.h"

#include <cstddef>

#include <sartor/read_section.hpp>

namespace sartor::core {

namespace {

// libsartor accesses it by the initial-exec model, so its offset from the thread pointer is fixed
// by the dynamic linker.
std::ptrdiff_t reader_offset() {
  const auto *here = reinterpret_cast<const char *>(&detail::reader);
  return here - static_cast<const char *>(__builtin_thread_pointer());
}

} // namespace

std::map<std::string, void *, std::less<>> entry_symbols(const void *target) {
  return {{kEntryTarget, const_cast<void *>(target)},
          {kEntryEnter, reinterpret_cast<void *>(&detail::enter)},
          {kEntryLeave, reinterpret_cast<void *>(&detail::leave)},
          {kEntryEpoch, &detail::epoch.now},
          {kEntryReader, reinterpret_cast<void *>(reader_offset())}}; // NOLINT: a number
}

} // namespace sartor::core
