// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_SERVER_SOCKET_H
#define SARTOR_REMOTE_PROTOCOL_SERVER_SOCKET_H

#include <expected>
#include <string>

#include "remote/protocol/channel.h"
#include "remote/protocol/server_address.h"

namespace sartor::remote {

/// Returns a connected socket, which the caller owns, or the reason why there is none. A half-open
/// connection is detected within seconds after bytes are sent on it.
std::expected<int, std::string> connect_to(const ServerAddress &address,
                                           const Channel::GoOn &go_on);

} // namespace sartor::remote

#endif
