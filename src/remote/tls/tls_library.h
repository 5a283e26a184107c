// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libsartor-tls.so: the library that depends on OpenSSL, loaded when a server is to be reached by
// TCP.
#ifndef SARTOR_REMOTE_TLS_TLS_LIBRARY_H
#define SARTOR_REMOTE_TLS_TLS_LIBRARY_H

#include <memory>
#include <span>

#include "base/keys.h"
#include "base/own_library.h"
#include "base/result.h"
#include "remote/protocol/channel.h"

namespace sartor::tls {

constexpr const char *kTlsLibrary = "libsartor-tls.so.0";
constexpr const char *kTlsSymbol = "sartor_tls_0";

/// A client's connection.
struct Connected {
  std::unique_ptr<remote::Stream> stream;
  base::PublicKey server; ///< The key that the server has shown.
};

struct TlsLibrary : base::OwnLibrary {
  /// Opens TLS over a connected socket, which the stream owns from now on, also on failure.
  /// `accepted` are server keys. Fails with compiler_lost, and with server_refused if the server
  /// has another key; if the server does not know this client's key, the stream's first read fails
  /// with that.
  Result<Connected> (*connect)(int socket, const base::SecretKey &own,
                               std::span<const base::PublicKey> accepted,
                               const remote::Channel::GoOn &go_on);
};

} // namespace sartor::tls

#endif
