// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_ENDPOINT_TEXT_H
#define SARTOR_REMOTE_SERVER_ENDPOINT_TEXT_H

#include <string>

#include "remote/server/asio.h"

namespace sartor::server {

/// HOST:PORT; IPv6 addresses in brackets.
inline std::string text_of(const asio::ip::tcp::endpoint &endpoint) {
  const std::string host = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

} // namespace sartor::server

#endif
