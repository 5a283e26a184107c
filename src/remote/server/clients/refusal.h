// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_REFUSAL_H
#define SARTOR_REMOTE_SERVER_CLIENTS_REFUSAL_H

#include <string_view>

#include "remote/server/connections.h"
#include "remote/server/shared.h"

namespace sartor::server {

/// Counts the refusal of a peer, and logs it with the key and the address of the peer. `reason` is
/// a code, such as "unknown_key"; `detail` is text for people.
void note_refusal(Shared &shared, const Peer &peer, const char *reason,
                  std::string_view detail = {});

} // namespace sartor::server

#endif
