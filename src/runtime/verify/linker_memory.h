// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_LINKER_MEMORY_H
#define SARTOR_RUNTIME_VERIFY_LINKER_MEMORY_H

#include <cstdint>

namespace sartor::runtime {

/// True for memory that the dynamic linker changes when a function is called for the first time:
/// its own data, and the slots of functions that are bound lazily.
bool is_linker_memory(std::uintptr_t address);

} // namespace sartor::runtime

#endif
