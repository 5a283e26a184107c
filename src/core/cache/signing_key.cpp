// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/signing_key.h"

#include <sodium.h>

#include "core/cache/secret_file.h"

namespace sartor::core {

namespace {

constexpr std::size_t kShortest = 32;
constexpr std::size_t kLongest = 4096;
constexpr std::string_view kPurpose = "Sartor's shared cache, 1";

const std::uint8_t *bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t *>(text.data());
}

} // namespace

SigningKey::SigningKey(std::string_view secret) {
  crypto_generichash(key_.data(), key_.size(), bytes_of(secret), secret.size(), bytes_of(kPurpose),
                     kPurpose.size());
}

SigningKey::~SigningKey() { sodium_memzero(key_.data(), key_.size()); }

Result<SigningKey> SigningKey::read(const std::filesystem::path &file) {
  const auto secret = read_secret(file, {.least = kShortest, .most = kLongest},
                                  "make it once for all replicas: head -c 32 /dev/urandom");
  if (!secret)
    return std::unexpected(secret.error());
  return SigningKey(secret->bytes());
}

std::string SigningKey::tag(std::string_view bytes) const {
  static_assert(kTagBytes == crypto_auth_BYTES && crypto_auth_KEYBYTES == 32);
  std::string tag(kTagBytes, '\0');
  crypto_auth(reinterpret_cast<std::uint8_t *>(tag.data()), bytes_of(bytes), bytes.size(),
              key_.data());
  return tag;
}

bool SigningKey::verify(std::string_view tag, std::string_view bytes) const {
  return tag.size() == kTagBytes &&
         crypto_auth_verify(bytes_of(tag), bytes_of(bytes), bytes.size(), key_.data()) == 0;
}

} // namespace sartor::core
