// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_ADMIN_H
#define SARTOR_REMOTE_SERVER_ADMIN_H

#include <string>

#include "remote/server/connections.h"
#include "remote/server/shared.h"

namespace sartor::server {

/// Answers an operator's request (remote/protocol/admin_message.h). Fails with server_refused: the
/// peer is no operator, or the request is malformed.
asio::awaitable<Result<remote::Frame>> administer(Shared &shared, const Peer &peer,
                                                  const std::string &request);

} // namespace sartor::server

#endif
