// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/kept_request.h"

#include <utility>

#include "remote/protocol/order.h"

namespace sartor::runtime {

Result<std::string> KeptRequest::serialized(const core::HandlerModule &module) const {
  core::Context complete = context;
  complete.memory = memory.lock();
  if (has_memory && !complete.memory)
    return std::unexpected(Failure{ErrorCode::unreadable_memory, symbol,
                                   "was made from invariant memory whose content is not known any "
                                   "more",
                                   "compare calls soon after the variant was made"});
  auto ordered = remote::to_order(complete, module);
  if (!ordered)
    return std::unexpected(std::move(ordered.error()));
  remote::RecordedRequest request;
  request.identity = module.identity;
  request.order = std::move(ordered->order);
  request.order.symbol = symbol;
  request.order.purpose = purpose;
  for (const std::uint64_t invariant : ordered->invariants)
    request.invariants.push_back(
        {invariant, quasi_invariant_name ? quasi_invariant_name(invariant) : std::string()});
  request.calls = calls;
  return remote::pack(request);
}

} // namespace sartor::runtime
