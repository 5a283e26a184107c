// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/language_data.h"

namespace sartor::loader::unwind {

LanguageData::LanguageData(const Bytes &bytes, const Frame &frame)
    : bytes_(bytes), place_{frame.language_data, frame.language_data} {
  Cursor at = cursor(place_.begin);
  std::uint64_t base = frame.code.begin;
  if (const auto encoding = at.read<std::uint8_t>(); encoding != omitted) {
    base = at.read_pointer(encoding);
    counts_from_function_ = false;
  }
  type_encoding_ = at.read<std::uint8_t>();
  if (type_encoding_ != omitted) {
    const std::uint64_t size = at.read_uleb128();
    static_cast<void>(Cursor(at).part(size));
    types_ = at.address() + size;
    place_.end = types_;
  }
  const auto encoding = at.read<std::uint8_t>();
  Cursor sites = at.part(at.read_uleb128());
  const std::uint64_t actions = at.address();
  reach(at);
  while (!sites.is_at_end()) {
    sites.read_number(encoding); // begin
    sites.read_number(encoding); // length
    if (const std::uint64_t pad = sites.read_number(encoding); pad != 0)
      landing_pads_.push_back(base + pad);
    if (const std::uint64_t action = sites.read_uleb128(); action != 0 && types_ != 0)
      follow(actions + action - 1);
  }
}

std::vector<Pointer> LanguageData::types() const {
  std::vector<Pointer> result;
  for (const std::uint64_t index : indices_) {
    const std::uint64_t place = types_ - index * size_of_pointer();
    result.push_back({place, type_encoding_, cursor(place).read_pointer(type_encoding_)});
  }
  return result;
}

std::uint64_t LanguageData::size_of_pointer() const {
  switch (type_encoding_ & format_mask) {
  case absolute:
  case udata8:
  case sdata8:
    return 8;
  case udata4:
  case sdata4:
    return 4;
  default:
    throw CutOff();
  }
}

void LanguageData::follow(std::uint64_t action) {
  while (seen_.insert(action).second) {
    Cursor at = cursor(action);
    const std::int64_t filter = at.read_sleb128();
    if (filter > 0)
      indices_.insert(static_cast<std::uint64_t>(filter));
    else if (filter < 0)
      add_specification(types_ - static_cast<std::uint64_t>(filter) - 1);
    const std::uint64_t here = at.address();
    const std::int64_t next = at.read_sleb128();
    reach(at);
    if (next == 0)
      return;
    action = here + static_cast<std::uint64_t>(next);
  }
}

void LanguageData::add_specification(std::uint64_t address) {
  Cursor at = cursor(address);
  while (const std::uint64_t index = at.read_uleb128())
    indices_.insert(index);
  reach(at);
}

} // namespace sartor::loader::unwind
