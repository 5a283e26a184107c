// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_SERVER_SOCKET_H
#define SARTOR_REMOTE_PROTOCOL_SERVER_SOCKET_H

#include <expected>
#include <string>

#include "remote/protocol/channel.h"
#include "remote/protocol/server_address.h"

namespace sartor::remote {

/// A connected socket, which is the caller's, or why there is none. What is half-open is found out
/// within seconds once something is said on it.
std::expected<int, std::string> connect_to(const ServerAddress &address,
                                           const Channel::GoOn &go_on);

} // namespace sartor::remote

#endif
