// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_HOLDING_STUB_H
#define SARTOR_RUNTIME_DISPATCH_HOLDING_STUB_H

#include <cstddef>
#include <cstdint>

/// Called by the stub with this number: waits until the call may continue, and returns the code
/// where it continues.
extern "C" [[gnu::visibility("hidden")]] void *sartor_hold(unsigned stub, std::uintptr_t frame);

namespace sartor::runtime {

inline constexpr std::size_t kHoldingPlaces = 256; ///< There are two stubs for each.

/// True if all registers that may hold arguments can be saved on this processor.
bool can_hold();
/// Returns code that can be called like any function: it calls sartor_hold() and jumps to the
/// result, with all arguments unchanged in the registers and on the stack.
void *holding_stub(std::size_t number);

} // namespace sartor::runtime

#endif
