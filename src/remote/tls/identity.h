// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_TLS_IDENTITY_H
#define SARTOR_REMOTE_TLS_IDENTITY_H

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <openssl/ssl.h>

#include "base/keys.h"

namespace sartor::tls {

/// Whether somebody with this key may speak to us.
using Knows = std::function<bool(const base::PublicKey &)>;

enum class Side : unsigned char { client, server };

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// TLS 1.3 between two sides that know each other by their Ed25519 keys. A certificate is made
/// around each key, as TLS needs one; its names and times are ignored, so clocks may differ. A
/// server with several keys shows the first that the client accepts (accepted_name()), or the first
/// of all; a client shows its first. `own`: at least one. `knows` must outlive the context. Null
/// where OpenSSL does not support this.
Context make_context(Side side, std::span<const base::SecretKey> own, const Knows &knows);

/// The server name (RFC 6066) by which a client tells which server keys it accepts.
std::string accepted_name(std::span<const base::PublicKey> accepted);

/// The key that the other side has shown, after the handshake.
std::optional<base::PublicKey> peer_of(const SSL *connection);
/// The key that this side has shown.
std::optional<base::PublicKey> own_of(const SSL *connection);
/// The key that the other side has shown and `knows` has refused, after the handshake failed for
/// it.
std::optional<base::PublicKey> refused_key_of(const SSL *connection);

} // namespace sartor::tls

#endif
