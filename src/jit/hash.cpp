// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/hash.h"

#include <llvm/Support/BLAKE3.h>

namespace sartor::jit {

using namespace llvm;

namespace {

void add(BLAKE3 &hasher, std::string_view part) {
  const std::uint64_t size = part.size();
  hasher.update(StringRef(reinterpret_cast<const char *>(&size), sizeof size));
  hasher.update(StringRef(part));
}

} // namespace

ContentKey hash_of(std::initializer_list<std::string_view> parts) {
  BLAKE3 hasher;
  for (const std::string_view part : parts)
    add(hasher, part);
  return hasher.final();
}

std::string to_text(const ContentKey &key) {
  std::string text;
  for (const std::uint8_t byte : key) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace sartor::jit
