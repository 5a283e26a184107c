// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/unwind.h"

#include "loader/lib/file/unwind_info.h"

namespace sartor::prune {

std::optional<Unwinding> look_at_unwinding(const Library &library) {
  if (!library.unwind_table())
    return std::nullopt;
  const auto all = loader::unwinding_of(
      [&](std::uint64_t address) { return library.from(address); }, *library.unwind_table());
  if (!all || !all->is_all)
    return std::nullopt;
  Unwinding found;
  found.places = all->places;
  for (const loader::unwind::Pointer &personality : all->personalities)
    if ((personality.encoding & loader::unwind::indirect) == 0)
      found.personalities.push_back(personality.target);
  for (const auto &[function, pad] : all->landing_pads) {
    const auto index = library.function_at(function);
    if (!index)
      return std::nullopt;
    found.landing_pads.emplace_back(*index, pad);
  }
  return found;
}

} // namespace sartor::prune
