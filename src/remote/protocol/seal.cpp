// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/seal.h"

#include <cstring>

namespace sartor::remote {

namespace {

using Nonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;
static_assert(crypto_kx_SESSIONKEYBYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES);

Nonce nonce_of(std::uint64_t number) {
  Nonce nonce{};
  std::memcpy(nonce.data() + nonce.size() - sizeof number, &number, sizeof number);
  return nonce;
}

std::uint8_t *bytes_of(std::string &text, std::size_t from) {
  return reinterpret_cast<std::uint8_t *>(text.data() + from);
}

} // namespace

Seal::~Seal() {
  sodium_memzero(receive_.data(), receive_.size());
  sodium_memzero(send_.data(), send_.size());
}

void Seal::close(std::string &bytes, std::size_t from) {
  const std::size_t size = bytes.size() - from;
  bytes.resize(bytes.size() + kOverhead);
  crypto_aead_chacha20poly1305_ietf_encrypt(bytes_of(bytes, from), nullptr, bytes_of(bytes, from),
                                            size, nullptr, 0, nullptr, nonce_of(sent_++).data(),
                                            send_.data());
}

bool Seal::open(std::string &bytes) {
  if (bytes.size() < kOverhead ||
      crypto_aead_chacha20poly1305_ietf_decrypt(bytes_of(bytes, 0), nullptr, nullptr,
                                                bytes_of(bytes, 0), bytes.size(), nullptr, 0,
                                                nonce_of(received_++).data(), receive_.data()) != 0)
    return false;
  bytes.resize(bytes.size() - kOverhead);
  return true;
}

} // namespace sartor::remote
