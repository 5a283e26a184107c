// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_SEAL_H
#define SARTOR_REMOTE_PROTOCOL_SEAL_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sodium.h>

namespace sartor::remote {

/// Encrypts and authenticates the frames of one connection in both directions: ChaCha20-Poly1305
/// (RFC 8439) with one key for each direction and the number of the frame as nonce, so that a frame
/// that was changed, repeated, left out or reflected does not open. For use by one thread at a
/// time.
class Seal {
public:
  using Key = std::array<std::uint8_t, crypto_kx_SESSIONKEYBYTES>;
  static constexpr std::size_t kOverhead = crypto_aead_chacha20poly1305_ietf_ABYTES;

  /// `receive` and `send` are the session keys of crypto_kx.
  Seal(const Key &receive, const Key &send) : receive_(receive), send_(send) {}
  ~Seal();
  Seal(const Seal &) = default;
  Seal &operator=(const Seal &) = default;

  /// Encrypts `bytes` in place and appends the tag.
  void close(std::string &bytes, std::size_t from);
  /// Decrypts `bytes` in place and removes the tag. Returns false if the frame is not the peer's
  /// next one; nothing may be read from the connection after that.
  [[nodiscard]] bool open(std::string &bytes);

private:
  Key receive_;
  Key send_;
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
};

} // namespace sartor::remote

#endif
