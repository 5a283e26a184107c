// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_ORDER_H
#define SARTOR_REMOTE_PROTOCOL_ORDER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "remote/protocol/message.h"

namespace sartor::remote {

/// The transmitted form of a context, and the numbers of this process's invariants in it.
struct Ordered {
  DraftOrder order;
  std::vector<std::uint64_t> invariants; ///< Indexed by their positions in the order.

  /// Returns nullopt if a position does not exist.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>>
  invariants_at(std::span<const std::uint64_t> places) const;
};

/// Converts a context, whose generators have run. Reads the invariant memory. Fails with
/// unreadable_memory.
Result<Ordered> to_order(const core::Context &context, const core::HandlerModule &module);

/// Converts an order back to a context, with its invariant memory, if it has some.
core::Context to_context(DraftOrder order, std::shared_ptr<core::InvariantMemory> memory,
                         const core::HandlerModule &module);
/// Gives the module's names the addresses that they have in the program that has sent the memory.
void take_addresses(core::HandlerModule &module, const DraftOrder::Memory &memory);

} // namespace sartor::remote

#endif
