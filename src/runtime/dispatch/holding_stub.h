// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_HOLDING_STUB_H
#define SARTOR_RUNTIME_DISPATCH_HOLDING_STUB_H

#include <cstddef>
#include <cstdint>

/// Asks where to go on, for the stub of that number: returns when the call may.
extern "C" [[gnu::visibility("hidden")]] void *sartor_hold(unsigned stub, std::uintptr_t frame);

namespace sartor::runtime {

inline constexpr std::size_t kHoldingPlaces = 256; ///< With two stubs each.

/// Whether all registers that arguments may be in can be kept on this processor.
bool can_hold();
/// Code that can be called as any function: it asks sartor_hold(), and goes on where that says,
/// with all arguments in the registers and on the stack where they were.
void *holding_stub(std::size_t number);

} // namespace sartor::runtime

#endif
