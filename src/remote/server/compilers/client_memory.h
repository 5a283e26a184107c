// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_CLIENT_MEMORY_H
#define SARTOR_REMOTE_SERVER_COMPILERS_CLIENT_MEMORY_H

#include <memory>
#include <vector>

#include "core/request/invariant_memory.h"
#include "remote/protocol/channel.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/order.h"

namespace sartor::remote {

/// A program's invariant memory, as it was sent. Calls are made in the program. `channel` must
/// outlive it.
std::shared_ptr<core::InvariantMemory> sent_memory(DraftOrder::Memory sent, Channel &channel);
/// A device's invariant memory: bytes that were not sent are requested, page by page, once.
/// `channel` must outlive it.
std::shared_ptr<core::InvariantMemory>
device_memory(const std::vector<Customization::Region> &regions, Channel &channel);

} // namespace sartor::remote

#endif
