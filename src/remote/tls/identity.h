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

/// Returns whether a peer with this key is accepted.
using Knows = std::function<bool(const base::PublicKey &)>;

enum class Side : unsigned char { client, server };

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// TLS 1.3 between two sides that know each other by their Ed25519 keys. A certificate is made for
/// each key, as TLS requires one; its names and times are ignored, so clocks may differ. A server
/// with several keys shows the first that the client accepts (accepted_name()), or the first of
/// all; a client shows its first. `own` has at least one key. `knows` must outlive the context.
/// Returns null if OpenSSL does not support this.
Context make_context(Side side, std::span<const base::SecretKey> own, const Knows &knows);

/// Returns the server name (RFC 6066) that contains the server keys that a client accepts.
std::string accepted_name(std::span<const base::PublicKey> accepted);

/// Returns the key that the other side has shown, after the handshake.
std::optional<base::PublicKey> peer_of(const SSL *connection);
/// Returns the key that this side has shown.
std::optional<base::PublicKey> own_of(const SSL *connection);
/// Returns the key that the other side has shown and `knows` has refused, after the handshake
/// failed for that reason.
std::optional<base::PublicKey> refused_key_of(const SSL *connection);

} // namespace sartor::tls

#endif
