// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/conversation.h"

#include <cstring>

namespace sartor::remote {

namespace {

constexpr std::size_t kHeader = 1 + sizeof(std::uint32_t);

} // namespace

std::string to_text(const Conversation &conversation) {
  std::string text;
  for (const Said &said : conversation) {
    const auto length = static_cast<std::uint32_t>(1 + said.body.size());
    text += said.by_server ? '\1' : '\0';
    text.append(reinterpret_cast<const char *>(&length), sizeof length);
    text += static_cast<char>(said.kind);
    text += said.body;
  }
  return text;
}

Conversation conversation_in(std::string_view text) {
  Conversation conversation;
  while (text.size() > kHeader) {
    std::uint32_t length = 0;
    std::memcpy(&length, text.data() + 1, sizeof length);
    if (length == 0 || length > text.size() - kHeader)
      break;
    conversation.push_back({text[0] != 0,
                            static_cast<Kind>(static_cast<unsigned char>(text[kHeader])),
                            std::string(text.substr(kHeader + 1, length - 1))});
    text.remove_prefix(kHeader + length);
  }
  return conversation;
}

} // namespace sartor::remote
