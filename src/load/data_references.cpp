// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/data_references.h"

#include <algorithm>
#include <set>
#include <utility>

#include <elf.h>

#include "load/unwind_frames.h"

namespace sartor::load {

namespace {

using namespace unwind;

/// The tables by which exceptions are caught, of one function.
class LanguageData {
public:
  LanguageData(const ElfFile &file, std::uint64_t address) : file_(file) {
    Cursor at(file.from(address), address);
    if (const auto encoding = at.read<std::uint8_t>(); encoding != omitted)
      at.read_pointer(encoding);
    type_encoding_ = at.read<std::uint8_t>();
    if (type_encoding_ == omitted)
      return;
    const std::uint64_t size = at.read_uleb128();
    types_ = at.address() + size;
    const auto encoding = at.read<std::uint8_t>();
    Cursor sites = at.part(at.read_uleb128());
    actions_ = at.address();
    while (!sites.is_at_end()) {
      for (int i = 0; i < 3; ++i) // begin, length, landing pad
        sites.read_number(encoding);
      if (const std::uint64_t action = sites.read_uleb128(); action != 0)
        follow(actions_ + action - 1);
    }
  }

  /// Of the types that the function looks for.
  [[nodiscard]] std::vector<Pointer> types() const {
    std::vector<Pointer> result;
    for (const std::uint64_t index : indices_) {
      const std::uint64_t place = types_ - index * size_of_pointer();
      Cursor at(file_.from(place), place);
      result.push_back({place, type_encoding_, at.read_pointer(type_encoding_)});
    }
    return result;
  }

private:
  [[nodiscard]] std::uint64_t size_of_pointer() const {
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
  void follow(std::uint64_t action) {
    while (seen_.insert(action).second) {
      Cursor at(file_.from(action), action);
      const std::int64_t filter = at.read_sleb128();
      if (filter > 0)
        indices_.insert(static_cast<std::uint64_t>(filter));
      else if (filter < 0)
        add_specification(types_ - static_cast<std::uint64_t>(filter) - 1);
      const std::uint64_t here = at.address();
      const std::int64_t next = at.read_sleb128();
      if (next == 0)
        return;
      action = here + static_cast<std::uint64_t>(next);
    }
  }
  void add_specification(std::uint64_t address) {
    Cursor at(file_.from(address), address);
    while (const std::uint64_t index = at.read_uleb128())
      indices_.insert(index);
  }

  const ElfFile &file_;
  unsigned type_encoding_ = omitted;
  std::uint64_t types_ = 0; ///< Where the table of types ends: it is indexed backwards.
  std::uint64_t actions_ = 0;
  std::set<std::uint64_t> seen_, indices_;
};

bool is_data(const ElfFile &file, std::uint64_t address) {
  return std::ranges::any_of(file.segments(), [&](const Segment &segment) {
    return segment.protection.write && segment.holds(address);
  });
}

std::vector<std::uint64_t> in_unwind_information(const ElfFile &file) {
  std::vector<std::uint64_t> places;
  const auto add = [&](const Pointer &pointer) {
    if (pointer.target == 0 || !is_data(file, pointer.target))
      return;
    if ((pointer.encoding & format_mask) != sdata4 ||
        (pointer.encoding & relation_mask) != relative_to_itself)
      throw CutOff();
    places.push_back(pointer.place);
  };
  Frames frames(file);
  for (const Frame &frame : frames.read_all())
    if (frame.language_data != 0)
      for (const Pointer &type : LanguageData(file, frame.language_data).types())
        add(type);
  for (const auto &[address, common] : frames.commons())
    if (common.personality)
      add(*common.personality);
  return places;
}

} // namespace

Result<std::vector<std::uint64_t>> data_references(const ElfFile &file, const Decoded &code) {
  const auto failure = [&](std::string what) {
    return std::unexpected(Failure{ErrorCode::bad_plan, file.name(), std::move(what),
                                   "its data stays where the file has it"});
  };
  if (!code.doubt.empty())
    return failure(code.doubt);
  if (const auto flags = file.tag(DT_FLAGS).value_or(0);
      file.tag(DT_TEXTREL) || (flags & DF_TEXTREL) != 0)
    return failure("its code is relocated");
  for (const Relocation &relocation : file.relocations())
    if (relocation.type != R_X86_64_NONE && !is_data(file, relocation.address))
      return failure("what is not writable is relocated");
  std::vector<std::uint64_t> places = code.data_references;
  try {
    std::ranges::copy(in_unwind_information(file), std::back_inserter(places));
  } catch (const CutOff &) {
    return failure("its tables of exceptions are of an unknown kind");
  }
  std::ranges::sort(places);
  const auto again = std::ranges::unique(places);
  places.erase(again.begin(), again.end());
  return places;
}

} // namespace sartor::load
