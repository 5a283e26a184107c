// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The opening of a connection without TLS: the client sends an X25519 key made for this connection,
// the server answers with one of its own and signs both with its Ed25519 key. Frames that follow
// are sealed (remote/protocol/seal.h). device/channel.c is the implementation for devices.
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

/// The client's side of one connection.
class Opening {
public:
  /// `accepted` are server keys that may sign. If it is empty, any key may; the caller must then
  /// know by other means which process listens.
  explicit Opening(std::vector<base::PublicKey> accepted);
  ~Opening();
  Opening(const Opening &) = delete;
  Opening &operator=(const Opening &) = delete;

  /// Returns the body of the frame `open`.
  [[nodiscard]] const std::string &message() const { return message_; }
  /// `answer` is the body of the frame `opened`. The result is empty if it is not an accepted
  /// server's answer to this message.
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

/// The largest body of the frame `open`.
constexpr std::size_t kMostOpening = 256;

/// `message` is the body of the frame `open`; `keys` has at least one element. The result is empty
/// if the message is malformed.
std::optional<Answered> answer_opening(std::string_view message,
                                       std::span<const base::SecretKey> keys);

/// Returns the text that a device signs to prove its identity, on this connection and no other.
std::string device_proof_text(const base::ContentKey &binding);

} // namespace sartor::remote

#endif
