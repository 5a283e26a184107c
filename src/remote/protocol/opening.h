// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a connection without TLS is opened: the client sends an X25519 key made for this connection,
// the server answers with one of its own and signs both with its Ed25519 key. Frames that follow
// are sealed (remote/protocol/seal.h). device/channel.c is the same for devices.
#ifndef SARTOR_REMOTE_PROTOCOL_OPENING_H
#define SARTOR_REMOTE_PROTOCOL_OPENING_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sodium.h>

#include "base/hash.h"
#include "base/keys.h"
#include "remote/protocol/seal.h"

namespace sartor::remote {

/// A connection that was opened.
struct Opened {
  Seal seal;
  base::PublicKey server;   ///< The key that the server signed with.
  base::ContentKey binding; ///< A hash of both messages: differs for each connection.
};

/// The client's side. One connection.
class Opening {
public:
  /// `accepted`: server keys that may sign. None: any may; the caller has to know by other means
  /// who listens.
  explicit Opening(std::vector<base::PublicKey> accepted);
  ~Opening();
  Opening(const Opening &) = delete;
  Opening &operator=(const Opening &) = delete;

  /// The body of the frame `open`.
  [[nodiscard]] const std::string &message() const { return message_; }
  /// `answer`: the body of the frame `opened`. Empty if it is not an accepted server's answer to
  /// this message.
  [[nodiscard]] std::optional<Opened> finish(std::string_view answer) const;

private:
  std::vector<base::PublicKey> accepted_;
  std::array<std::uint8_t, crypto_kx_SECRETKEYBYTES> secret_;
  std::array<std::uint8_t, crypto_kx_PUBLICKEYBYTES> shown_;
  std::string message_;
};

/// The server's side.
struct Answered {
  std::string answer; ///< The body of the frame `opened`.
  Opened opened;
  const base::SecretKey *key; ///< The one of `keys` that the client accepts, or the first.
};

/// Largest body of the frame `open`.
constexpr std::size_t kMostOpening = 256;

/// `message`: the body of the frame `open`; `keys`: at least one. Empty if the message is
/// malformed.
std::optional<Answered> answer_opening(std::string_view message,
                                       std::span<const base::SecretKey> keys);

/// The text that a device signs to prove its identity, on this connection and no other.
std::string device_proof_text(const base::ContentKey &binding);

} // namespace sartor::remote

#endif
