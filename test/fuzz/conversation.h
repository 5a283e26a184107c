// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded conversations: frames of both sides, in the form in which fuzzers change and replay
// them.
#ifndef SARTOR_TEST_FUZZ_CONVERSATION_H
#define SARTOR_TEST_FUZZ_CONVERSATION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "remote/protocol/message.h"

namespace sartor::remote {

struct Said {
  bool by_server = false;
  Kind kind = Kind::failed;
  std::string body;
};
using Conversation = std::vector<Said>;

/// Encodes each frame as one byte, which is 1 if the server sent it, and a frame as in
/// remote/protocol/channel.h.
std::string to_text(const Conversation &conversation);
/// Decodes all complete frames.
Conversation conversation_in(std::string_view text);

/// Recorded addresses of the invariant memory and of the function that may be called; replays
/// replace them by their own addresses.
constexpr std::uint64_t kRecordedMemory = 0x10000;
constexpr std::uint64_t kRecordedBytes = 2048;
constexpr std::uint64_t kRecordedFunction = 0x20000;

/// A part of a message's bytes that is one value.
struct Field {
  enum class What : unsigned char {
    number, ///< Also an enumerator, a flag, an index or an address.
    count,  ///< The number of elements that follow.
    text    ///< `at` is the position of its length, eight bytes; `size` bytes follow.
  };
  What what;
  std::size_t at;
  std::size_t size;
};
/// An element of a list or a map.
struct Element {
  std::size_t count_at;
  std::size_t begin;
  std::size_t end;
};
struct Layout {
  std::vector<Field> fields;
  std::vector<Element> elements;
};

/// The layout of a message that can be read; empty otherwise. Includes the fields of images and
/// modules in it.
Layout layout_of(Kind kind, std::string_view body);

/// Corrects the checksum of a module's bytes, if they have one.
void correct_checksum(Said &said);

/// Replaces recorded addresses in a message (numbers within the recorded memory or at the recorded
/// function) by those of this process.
void relocate(Said &said, std::uint64_t memory, std::uint64_t function);

} // namespace sartor::remote

#endif
