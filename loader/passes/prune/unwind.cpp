// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/unwind.h"

#include <map>
#include <string_view>

#include "load/unwind_cursor.h"

namespace sartor::prune {

namespace {

using namespace load::unwind;

/// How entries that have this in common are written.
struct Common {
  unsigned pointers = absolute;
  std::optional<unsigned> language_data;
};

class Reader {
public:
  explicit Reader(const Library &library) : library_(library) {}

  Unwinding read_all(std::uint64_t header) {
    Cursor at = cursor(header);
    at.skip(1); // version
    const auto of_frames = at.read<std::uint8_t>();
    const auto of_count = at.read<std::uint8_t>();
    const auto of_table = at.read<std::uint8_t>();
    at.read_pointer(of_frames);
    if (of_count != udata4 || of_table != (relative_to_header | sdata4))
      throw CutOff();
    for (auto count = at.read<std::uint32_t>(); count > 0; --count) {
      at.skip(4); // where the function begins, as in the entry
      read_entry(header + at.read_number(sdata4));
    }
    found_.places.push_back({header, at.address()});
    return std::move(found_);
  }

private:
  [[nodiscard]] Cursor cursor(std::uint64_t address) const {
    return {library_.from(address), address};
  }

  void read_entry(std::uint64_t address) {
    Cursor at = cursor(address);
    Cursor entry = at.part(at.read<std::uint32_t>());
    found_.places.push_back({address, at.address()});
    const std::uint64_t here = entry.address();
    const auto back = entry.read<std::uint32_t>();
    if (back == 0)
      throw CutOff();
    const Common &shared = common(here - back);
    const std::uint64_t function = entry.read_pointer(shared.pointers);
    if (entry.read_number(shared.pointers) == 0 || !shared.language_data)
      return;
    entry.read_uleb128(); // how much follows
    Cursor unrelated = entry;
    if (unrelated.read_number(*shared.language_data) != 0)
      read_language_data(function, entry.read_pointer(*shared.language_data));
  }

  const Common &common(std::uint64_t address) {
    if (const auto known = commons_.find(address); known != commons_.end())
      return known->second;
    Cursor at = cursor(address);
    Cursor entry = at.part(at.read<std::uint32_t>());
    found_.places.push_back({address, at.address()});
    if (entry.read<std::uint32_t>() != 0)
      throw CutOff();
    Common common;
    const auto version = entry.read<std::uint8_t>();
    const std::string_view augmentation = entry.read_string();
    entry.read_uleb128(); // alignment of code
    entry.read_sleb128(); // ... and of data
    if (version == 1)
      entry.skip(1); // the register of the return address
    else
      entry.read_uleb128();
    if (augmentation.starts_with('z')) {
      entry.read_uleb128();
      for (const char what : augmentation.substr(1))
        read_augmentation(what, entry, common);
    }
    if (common.pointers == omitted || (common.pointers & indirect) != 0)
      throw CutOff();
    return commons_.emplace(address, common).first->second;
  }

  void read_augmentation(char what, Cursor &entry, Common &common) {
    if (what == 'R') {
      common.pointers = entry.read<std::uint8_t>();
    } else if (what == 'L') {
      if (const auto encoding = entry.read<std::uint8_t>(); encoding != omitted)
        common.language_data = encoding;
    } else if (what == 'P') {
      const auto encoding = entry.read<std::uint8_t>();
      const std::uint64_t target = entry.read_pointer(encoding);
      if ((encoding & indirect) == 0)
        found_.personalities.push_back(target);
    } else if (what != 'S' && what != 'B') {
      throw CutOff();
    }
  }

  void read_language_data(std::uint64_t function, std::uint64_t address) {
    const auto index = library_.function_at(function);
    if (!index)
      throw CutOff();
    Cursor at = cursor(address);
    std::uint64_t base = function;
    if (const auto encoding = at.read<std::uint8_t>(); encoding != omitted)
      base = at.read_pointer(encoding);
    if (at.read<std::uint8_t>() != omitted) // of types
      at.read_uleb128();
    const auto encoding = at.read<std::uint8_t>();
    Cursor sites = at.part(at.read_uleb128());
    while (!sites.is_at_end()) {
      sites.read_number(encoding); // begin
      sites.read_number(encoding); // length
      if (const std::uint64_t pad = sites.read_number(encoding); pad != 0)
        found_.landing_pads.emplace_back(*index, base + pad);
      sites.read_uleb128(); // action
    }
  }

  const Library &library_;
  std::map<std::uint64_t, Common> commons_;
  Unwinding found_;
};

} // namespace

std::optional<Unwinding> look_at_unwinding(const Library &library) {
  const auto header = library.unwind_table();
  if (!header)
    return std::nullopt;
  try {
    return Reader(library).read_all(*header);
  } catch (const CutOff &) {
    return std::nullopt;
  }
}

} // namespace sartor::prune
