// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TLS_IDENTITY_H
#define SARTOR_TLS_IDENTITY_H

#include <functional>
#include <memory>
#include <optional>

#include <openssl/ssl.h>

#include "keys/keys.h"

namespace sartor::tls {

/// Whether somebody with this key may speak to us.
using Knows = std::function<bool(const keys::PublicKey &)>;

enum class Side : unsigned char { client, server };

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// TLS 1.3 between two that know each other by their Ed25519 keys, whichever side they are on. A
/// certificate is made around the key, as TLS wants one; what it says of names and times counts for
/// nothing, so clocks may differ. `knows` must outlive it. Null where OpenSSL cannot do that.
Context make_context(Side side, const keys::SecretKey &own, const Knows &knows);

/// The other side's, after the handshake.
std::optional<keys::PublicKey> peer_of(const SSL *connection);

} // namespace sartor::tls

#endif
