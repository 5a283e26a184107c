// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of conversations: a field of a message (a number, a count, a length, a text), an
// element of a list, a frame, or the order of frames.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "fuzz/conversation.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);

namespace sartor::remote {

namespace {

class Mutator {
public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void change(Conversation &conversation) {
    if (conversation.empty())
      conversation.push_back({true, Kind::welcome, {}});
    for (std::size_t times = 1 + below(3); times > 0; --times)
      change_once(conversation);
  }

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

private:
  void change_once(Conversation &all) {
    const std::size_t at = below(all.size());
    switch (below(16)) {
    case 0:
      if (all.size() > 1)
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(below(all.size() + 1)), Said(all[at]));
      break;
    case 2:
      std::swap(all[at], all[below(all.size())]);
      break;
    case 3:
      all[at].kind = static_cast<Kind>(below(static_cast<std::size_t>(Kind::kLast) + 2));
      break;
    case 4:
      change_bytes(all[at].body);
      break;
    default:
      change_field(all[at], all[below(all.size())]);
      correct_checksum(all[at]);
    }
  }

  void change_bytes(std::string &body) {
    const std::size_t room = body.size() + 64;
    std::string bytes = body;
    bytes.resize(room);
    bytes.resize(
        LLVMFuzzerMutate(reinterpret_cast<std::uint8_t *>(bytes.data()), body.size(), room));
    body = std::move(bytes);
  }

  void change_field(Said &said, const Said &other) {
    const Layout layout = layout_of(said.kind, said.body);
    if (layout.fields.empty())
      return change_bytes(said.body);
    if (!layout.elements.empty() && below(4) == 0)
      return change_element(said.body, layout.elements[below(layout.elements.size())]);
    const Field &field = layout.fields[below(layout.fields.size())];
    if (field.what == Field::What::text)
      change_text(said.body, field, other);
    else
      change_number(said.body, field, other);
  }

  static std::uint64_t number_at(const std::string &body, std::size_t at, std::size_t size) {
    std::uint64_t number = 0;
    std::memcpy(&number, body.data() + at, std::min(size, sizeof number));
    return number;
  }
  static void set_number(std::string &body, std::size_t at, std::size_t size,
                         std::uint64_t number) {
    std::memcpy(body.data() + at, &number, std::min(size, sizeof number));
  }

  void change_number(std::string &body, const Field &field, const Said &other) {
    constexpr std::array<std::uint64_t, 12> kOdd{0,
                                                 1,
                                                 2,
                                                 3,
                                                 0x7f,
                                                 0xff,
                                                 0x7fffffff,
                                                 0xffffffff,
                                                 ~0ULL >> 1,
                                                 ~0ULL,
                                                 kRecordedMemory,
                                                 kRecordedFunction};
    const std::uint64_t before = number_at(body, field.at, field.size);
    std::uint64_t number = before;
    switch (below(6)) {
    case 0:
      number = kOdd.at(below(kOdd.size()));
      break;
    case 1:
      number = before + below(33) - 16;
      break;
    case 2:
      number = before ^ (1ULL << below(8 * field.size));
      break;
    case 3:
      number = std::rotl(std::uint64_t{1}, static_cast<int>(below(64))) - below(2);
      break;
    case 4: { // a number of another message: an address, an index, an invariant
      const Layout layout = layout_of(other.kind, other.body);
      if (!layout.fields.empty()) {
        const Field &from = layout.fields[below(layout.fields.size())];
        number = number_at(other.body, from.at, from.what == Field::What::number ? from.size : 8);
      }
      break;
    }
    default:
      number = kRecordedMemory + below(2 * kRecordedBytes);
    }
    set_number(body, field.at, field.size, number);
  }

  void change_text(std::string &body, const Field &field, const Said &other) {
    const std::size_t begin = field.at + sizeof(std::uint64_t);
    std::string text = body.substr(begin, field.size);
    switch (below(4)) {
    case 0: // only its length
      return change_number(body, {Field::What::count, field.at, sizeof(std::uint64_t)}, other);
    case 1:
      text = text.substr(0, below(text.size() + 1));
      break;
    case 2: {
      const Layout layout = layout_of(other.kind, other.body);
      const auto from = std::ranges::find(layout.fields, Field::What::text,
                                          [](const Field &f) { return f.what; });
      if (from != layout.fields.end())
        text = other.body.substr(from->at + sizeof(std::uint64_t), from->size);
      break;
    }
    default:
      change_bytes(text);
    }
    body.replace(begin, field.size, text);
    set_number(body, field.at, sizeof(std::uint64_t), text.size());
  }

  void change_element(std::string &body, const Element &element) {
    const std::uint64_t count = number_at(body, element.count_at, sizeof count);
    const std::string bytes = body.substr(element.begin, element.end - element.begin);
    const bool is_removed = below(2) == 0;
    if (is_removed)
      body.erase(element.begin, bytes.size());
    else
      body.insert(element.begin, bytes);
    if (below(8) != 0)
      set_number(body, element.count_at, sizeof count, is_removed ? count - 1 : count + 1);
  }

  std::minstd_rand random_;
};

std::size_t write(Conversation conversation, std::uint8_t *data, std::size_t most) {
  std::string text = to_text(conversation);
  while (text.size() > most && !conversation.empty()) {
    conversation.pop_back();
    text = to_text(conversation);
  }
  std::ranges::copy(text, data);
  return text.size();
}

std::string_view view(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace

} // namespace sartor::remote

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace sartor::remote;
  Conversation conversation = conversation_in(view(data, size));
  Mutator(seed).change(conversation);
  return write(std::move(conversation), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t *one, std::size_t one_size,
                                                 const std::uint8_t *other, std::size_t other_size,
                                                 std::uint8_t *out, std::size_t most,
                                                 unsigned seed) {
  using namespace sartor::remote;
  Mutator mutator(seed);
  Conversation made = conversation_in(view(one, one_size));
  const Conversation rest = conversation_in(view(other, other_size));
  made.resize(mutator.below(made.size() + 1));
  made.insert(made.end(), rest.begin() + static_cast<std::ptrdiff_t>(mutator.below(rest.size())),
              rest.end());
  return write(std::move(made), out, most);
}
// NOLINTEND(readability-identifier-naming)
