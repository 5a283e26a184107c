// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/data_references.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <elf.h>

#include "loader/lib/decode/distances.h"
#include "loader/lib/file/data_bounds.h"

namespace sartor::loader {

namespace {

/// Returns the references of personalities and types; nothing if one cannot be changed.
std::optional<std::vector<std::uint64_t>> in_unwind_information(const Unwinding &unwinding,
                                                                const DataBounds &data) {
  if (!unwinding.is_all)
    return std::nullopt;
  std::vector<std::uint64_t> places;
  for (const auto *pointers : {&unwinding.personalities, &unwinding.types})
    for (const unwind::Pointer &pointer : *pointers) {
      if (pointer.target == 0 || !data.moves(pointer.target))
        continue;
      if ((pointer.encoding & unwind::format_mask) != unwind::sdata4 ||
          (pointer.encoding & unwind::relation_mask) != unwind::relative_to_itself)
        return std::nullopt;
      places.push_back(pointer.place);
    }
  return places;
}

/// Returns why relocations may be incomplete; empty if they are complete.
std::string doubt_about_relocations(const ElfFile &file, const DataBounds &data) {
  if (const auto flags = file.tag(DT_FLAGS).value_or(0);
      file.tag(DT_TEXTREL) || (flags & DF_TEXTREL) != 0)
    return "its code is relocated";
  for (const Relocation &relocation : file.relocations())
    if (relocation.type != R_X86_64_NONE && !data.moves(relocation.address))
      return "read-only memory is relocated";
  return "";
}

/// Recognizes languages whose compilers keep distances to data in tables that are read elsewhere,
/// in the language's run-time library.
std::string doubt_about_language(const ElfFile &file) {
  if (!file.dynamic())
    return "";
  for (const std::string_view name : file.dynamic()->needed)
    for (const auto &[beginning, language] :
         {std::pair("libswift", "Swift"), std::pair("libHS", "Haskell")})
      if (name.starts_with(beginning))
        return std::string("it is written in ") + language;
  return "";
}

} // namespace

Result<std::vector<std::uint64_t>> data_references(const ElfFile &file, const Decoded &code) {
  const DataBounds data(file);
  std::vector<std::uint64_t> places = code.data_references;
  std::string doubt = code.doubt;
  if (doubt.empty())
    doubt = doubt_about_relocations(file, data);
  if (doubt.empty()) {
    if (const auto others = in_unwind_information(code.unwinding, data))
      std::ranges::copy(*others, std::back_inserter(places));
    else
      doubt = "its tables of exceptions are of an unknown kind";
  }
  if (doubt.empty())
    doubt = doubt_about_language(file);
  if (doubt.empty())
    doubt = doubt_about_distances(file, code);
  if (!doubt.empty())
    return std::unexpected(Failure{ErrorCode::bad_plan, file.name(), std::move(doubt),
                                   "its data stays where the file has it"});
  std::ranges::sort(places);
  const auto again = std::ranges::unique(places);
  places.erase(again.begin(), again.end());
  return places;
}

} // namespace sartor::loader
