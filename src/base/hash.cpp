// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/hash.h"

#include <sodium.h>

namespace sartor::base {

namespace {

void add(crypto_generichash_state &hasher, std::string_view part) {
  const std::uint64_t size = part.size();
  crypto_generichash_update(&hasher, reinterpret_cast<const unsigned char *>(&size), sizeof size);
  crypto_generichash_update(&hasher, reinterpret_cast<const unsigned char *>(part.data()), size);
}

} // namespace

ContentKey hash_of(std::initializer_list<std::string_view> parts) {
  ContentKey key;
  crypto_generichash_state hasher;
  crypto_generichash_init(&hasher, nullptr, 0, key.size());
  for (const std::string_view part : parts)
    add(hasher, part);
  crypto_generichash_final(&hasher, key.data(), key.size());
  return key;
}

std::string to_text(const ContentKey &key) {
  std::string text;
  for (const std::uint8_t byte : key) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace sartor::base
