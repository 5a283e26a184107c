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

/// What is sent of a context, and which of this process's promises are meant in it.
struct Ordered {
  DraftOrder order;
  std::vector<std::uint64_t> promises; ///< By their places.

  /// Nothing if there is no such place.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>>
  promises_at(std::span<const std::uint64_t> places) const;
};

/// Custom points' generators are left out: they are the program's. Reads the promised memory. Fails
/// with unreadable_memory.
Result<Ordered> to_order(const core::Context &context, const core::HandlerModule &module);

/// The other way: the context that an order tells of, with its promised memory, if it has some.
core::Context to_context(DraftOrder order, std::shared_ptr<core::PromisedMemory> memory,
                         const core::HandlerModule &module);
/// The module's names stand for what they stood for in the program that has sent the memory.
void take_addresses(core::HandlerModule &module, const DraftOrder::Memory &memory);

} // namespace sartor::remote

#endif
