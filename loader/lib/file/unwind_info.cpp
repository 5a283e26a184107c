// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/unwind_info.h"

#include <iterator>

#include "loader/lib/file/language_data.h"

namespace sartor::loader {

namespace {

void add_language_data(Unwinding &all, const unwind::Bytes &bytes, const unwind::Frame &frame) {
  try {
    const unwind::LanguageData data(bytes, frame);
    all.places.push_back(data.place());
    for (const std::uint64_t pad : data.landing_pads())
      all.landing_pads.emplace_back(frame.code.begin, pad);
    std::ranges::copy(data.types(), std::back_inserter(all.types));
  } catch (const unwind::CutOff &) {
    all.is_all = false;
  }
}

} // namespace

std::optional<Unwinding> unwinding_of(const unwind::Bytes &bytes, std::uint64_t table) {
  Unwinding all;
  try {
    unwind::Frames frames(bytes, table);
    for (const unwind::Frame &frame : frames.read_all()) {
      // Linkers fold identical functions: several entries then describe the same code.
      all.functions.push_back(frame.code);
      all.places.push_back(frame.place);
      if (frame.language_data != 0)
        add_language_data(all, bytes, frame);
    }
    for (const auto &[address, common] : frames.commons()) {
      all.places.push_back({address, common.end});
      all.is_all = all.is_all && common.is_known;
      if (common.personality)
        all.personalities.push_back(*common.personality);
    }
    all.places.push_back(frames.table());
  } catch (const unwind::CutOff &) {
    return std::nullopt;
  }
  all.functions = merged(std::move(all.functions));
  all.places = merged(std::move(all.places));
  return all;
}

Result<Unwinding> unwinding_of(const ElfFile &file) {
  if (!file.unwind_table())
    return Unwinding{};
  auto all =
      unwinding_of([&](std::uint64_t address) { return file.from(address); }, *file.unwind_table());
  if (!all)
    return std::unexpected(Failure{ErrorCode::bad_elf, file.name(),
                                   "its unwind information is cut off, or of an unknown kind",
                                   "it is loaded as the stock loader would"});
  return std::move(*all);
}

} // namespace sartor::loader
