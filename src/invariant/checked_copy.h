// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_CHECKED_COPY_H
#define SARTOR_INVARIANT_CHECKED_COPY_H

#include <cstdint>
#include <string>

#include "observe/result.h"

namespace sartor::invariant {

/// A copy of this process's memory, made by the kernel: whatever the address is, nothing crashes.
/// Not atomic against writers. Thread-safe. Fails with unreadable_memory, naming the first address
/// that cannot be read.
Result<std::string> checked_copy(std::uintptr_t address, std::size_t size);

} // namespace sartor::invariant

#endif
