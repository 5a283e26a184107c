// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_CHECKED_COPY_H
#define SARTOR_RUNTIME_ASSUMPTIONS_CHECKED_COPY_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sartor::runtime {

/// Copies this process's memory by a system call, so that no address makes the process crash. The
/// copy is not atomic against writers. Thread-safe. Fails with unreadable_memory, naming the first
/// address that cannot be read.
Result<std::string> checked_copy(std::uintptr_t address, std::size_t size);

/// Copies many pieces (address and size), each as checked_copy() does, with fewer system calls.
std::vector<Result<std::string>>
checked_copies(std::span<const std::pair<std::uintptr_t, std::size_t>> pieces);

} // namespace sartor::runtime

#endif
