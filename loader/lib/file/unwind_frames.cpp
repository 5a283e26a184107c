// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/unwind_frames.h"

#include <string_view>

namespace sartor::loader::unwind {

namespace {

Common read_common(Cursor entry) {
  Common common;
  const auto version = entry.read<std::uint8_t>();
  const std::string_view augmentation = entry.read_string();
  entry.read_uleb128(); // code alignment factor
  entry.read_sleb128(); // data alignment factor
  if (version == 1)
    entry.skip(1); // return address register
  else
    entry.read_uleb128();
  if (!augmentation.starts_with('z')) {
    common.is_known = augmentation.empty();
    common.instructions = entry.address();
    return common;
  }
  common.has_augmentation = true;
  const std::uint64_t size = entry.read_uleb128();
  common.instructions = entry.address() + size;
  for (const char what : augmentation.substr(1)) {
    if (what == 'R') {
      common.pointers = entry.read<std::uint8_t>();
    } else if (what == 'L') {
      if (const auto encoding = entry.read<std::uint8_t>(); encoding != omitted)
        common.language_data = encoding;
    } else if (what == 'P') {
      const auto encoding = entry.read<std::uint8_t>();
      const std::uint64_t place = entry.address();
      common.personality = {place, encoding, entry.read_pointer(encoding)};
    } else if (what == 'S') {
      common.is_signal_frame = true;
    } else if (what != 'B') {
      common.is_known = false; // the rest of the augmentation is unknown
      break;
    }
  }
  return common;
}

} // namespace

/// Returns the description in the entry at an address; nothing if it is a common entry or describes
/// no code. `next` becomes the address after the entry, or nothing at the end.
std::optional<Frame> Frames::read(std::uint64_t address, std::optional<std::uint64_t> *next) {
  Cursor at = cursor(address);
  const std::uint64_t size = at.read<std::uint32_t>();
  if (next)
    next->reset();
  if (size == 0)
    return std::nullopt;
  if (size == 0xffffffff) // 64-bit length: more than 4 GiB
    throw CutOff();
  Cursor entry = at.part(size);
  if (next && !at.is_at_end())
    *next = at.address();
  const std::uint64_t here = entry.address();
  const std::uint64_t back = entry.read<std::uint32_t>();
  if (back == 0)
    return std::nullopt;
  const Common &shared = common(here - back);
  const std::uint64_t function = entry.read_pointer(shared.pointers);
  const std::uint64_t length = entry.read_number(shared.pointers);
  if (length > ~function)
    throw CutOff();
  if (length == 0)
    return std::nullopt;
  Frame frame{{address, at.address()}, {function, function + length}, 0, here - back};
  frame.instructions = entry.address();
  if (shared.has_augmentation) {
    const std::uint64_t augmentation = entry.read_uleb128();
    frame.instructions = entry.address() + augmentation;
  }
  if (shared.language_data) {
    frame.language_data_place = entry.address();
    Cursor unrelated = entry;
    if (unrelated.read_number(*shared.language_data) != 0)
      frame.language_data = entry.read_pointer(*shared.language_data);
  }
  return frame;
}

const Common &Frames::common(std::uint64_t address) {
  if (const auto known = commons_.find(address); known != commons_.end())
    return known->second;
  Cursor at = cursor(address);
  Cursor entry = at.part(at.read<std::uint32_t>());
  if (entry.read<std::uint32_t>() != 0) // refers to another entry itself
    throw CutOff();
  Common common = read_common(entry);
  common.end = at.address();
  if (common.pointers == omitted || (common.pointers & indirect) != 0)
    throw CutOff();
  return commons_.emplace(address, common).first->second;
}

/// Where there is a search table, the entries need not end with an empty one.
std::vector<Frame> Frames::read_all() {
  std::vector<Frame> frames;
  const std::uint64_t header = table_.begin;
  Cursor at = cursor(header);
  at.skip(1); // version
  const auto of_frames = at.read<std::uint8_t>();
  const auto of_count = at.read<std::uint8_t>();
  const auto of_table = at.read<std::uint8_t>();
  const std::uint64_t first = at.read_pointer(of_frames);
  if (of_count == udata4 && of_table == (relative_to_header | sdata4)) {
    for (auto count = at.read<std::uint32_t>(); count > 0; --count) {
      at.skip(4); // begin of the function, also in the entry
      if (const auto frame = read(header + at.read_number(sdata4)))
        frames.push_back(*frame);
    }
    table_.end = at.address();
    return frames;
  }
  table_.end = at.address();
  for (std::optional next(first); next;)
    if (const auto frame = read(*next, &next))
      frames.push_back(*frame);
  return frames;
}

} // namespace sartor::loader::unwind
