// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_SERVER_ADDRESS_H
#define SARTOR_REMOTE_PROTOCOL_SERVER_ADDRESS_H

#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::remote {

/// The address of a server: a host and a port, or the path of a socket.
struct ServerAddress {
  std::string host;
  std::string port; ///< A number; for a listening server, 0 is any free one.
  std::string path; ///< The path of a Unix socket; empty for a host.

  /// Reads "tcp://HOST:PORT", an IPv6 address in brackets, or "unix:/PATH". Fails with
  /// no_compiler.
  static Result<ServerAddress> parse(const std::string &text);
  /// Reads several, separated by commas.
  static Result<std::vector<ServerAddress>> parse_list(const std::string &text);
};

} // namespace sartor::remote

#endif
