// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/order.h"

#include <algorithm>
#include <utility>

#include "core/profile/layout.h"

namespace sartor::remote {

namespace {

/// Positions of invariants, in the order in which they first occur.
class Places {
public:
  explicit Places(std::vector<std::uint64_t> &invariants) : invariants_(invariants) {}

  std::uint64_t of(std::uint64_t invariant) {
    const auto known = std::ranges::find(invariants_, invariant);
    if (known != invariants_.end())
      return static_cast<std::uint64_t>(known - invariants_.begin());
    invariants_.push_back(invariant);
    return invariants_.size() - 1;
  }

private:
  std::vector<std::uint64_t> &invariants_;
};

DraftOrder::Memory to_memory(const core::Reached &reached, const core::HandlerModule &module,
                             Places &places) {
  DraftOrder::Memory memory;
  memory.objects = reached.objects;
  for (const core::Region &region : reached.regions)
    memory.regions.push_back({places.of(region.invariant), region.address, *region.bytes});
  for (const auto &[name, address] : module.symbols)
    memory.symbols.emplace(name, reinterpret_cast<std::uintptr_t>(address));
  return memory;
}

} // namespace

std::optional<std::vector<std::uint64_t>>
Ordered::invariants_at(std::span<const std::uint64_t> places) const {
  std::vector<std::uint64_t> found;
  for (const std::uint64_t place : places) {
    if (place >= invariants.size())
      return std::nullopt;
    found.push_back(invariants[place]);
  }
  std::ranges::sort(found);
  return found;
}

Result<Ordered> to_order(const core::Context &context, const core::HandlerModule &module) {
  Ordered ordered;
  Places places(ordered.invariants);
  DraftOrder &order = ordered.order;
  order.handler = context.handler;
  order.configuration = context.configuration;
  order.arguments = context.arguments;
  order.answers = context.answers;
  for (auto &[label, answers] : order.answers)
    for (std::uint64_t &invariant : answers.invariants)
      invariant = places.of(invariant);
  order.generated = context.generated;
  for (auto &[label, code] : order.generated)
    for (std::uint64_t &invariant : code.invariants)
      invariant = places.of(invariant);
  order.instrumented = context.instrumented;
  order.holes.assign(context.holes.begin(), context.holes.end());
  if (context.profile)
    order.profile = {context.profile->slot, context.profile->table};
  if (context.memory) {
    const auto &reached = context.memory->read();
    if (!reached)
      return std::unexpected(reached.error());
    order.memory = to_memory(*reached, module, places);
  }
  return ordered;
}

core::Context to_context(DraftOrder order, std::shared_ptr<core::InvariantMemory> memory,
                         const core::HandlerModule &module) {
  core::Context context;
  context.handler = std::move(order.handler);
  context.configuration = std::move(order.configuration);
  context.arguments = std::move(order.arguments);
  context.answers = std::move(order.answers);
  context.generated = std::move(order.generated);
  context.instrumented = std::move(order.instrumented);
  context.holes.insert(order.holes.begin(), order.holes.end());
  context.memory = std::move(memory);
  if (order.profile)
    context.profile =
        std::make_shared<const core::Counters>(core::layout_of(module.space), order.profile->slot,
                                               static_cast<std::ptrdiff_t>(order.profile->table));
  return context;
}

void take_addresses(core::HandlerModule &module, const DraftOrder::Memory &memory) {
  module.symbols.clear();
  for (const auto &[name, address] : memory.symbols)
    module.symbols.emplace(name,
                           reinterpret_cast<void *>(address)); // NOLINT(performance-no-int-to-ptr)
}

} // namespace sartor::remote
