// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/entry_symbols.h"

#include <sartor/read_section.hpp>

#include "engine/readers.h"

namespace sartor::jit {

std::map<std::string, void *, std::less<>> entry_symbols(const void *target) {
  return {{kEntryTarget, const_cast<void *>(target)},
          {kEntryEnter, reinterpret_cast<void *>(&detail::enter)},
          {kEntryLeave, reinterpret_cast<void *>(&detail::leave)},
          {kEntryEpoch, &detail::epoch.now},
          {kEntryReader, reinterpret_cast<void *>(engine::reader_offset())}}; // NOLINT: a number
}

} // namespace sartor::jit
