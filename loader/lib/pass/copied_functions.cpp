// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/copied_functions.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "loader/lib/file/code_range.h"

namespace sartor::loader {

const char *copy_function(sartor_prelink_image *image, std::size_t library,
                          std::uint64_t function) {
  Changes &changes = image->image.changes;
  const auto can_own = [&](std::size_t packed) {
    return can_own_copies(image->image.libraries[packed]);
  };
  if (std::ranges::none_of(changes.packed, can_own))
    return "that no packed library can take";
  const Target target{library, function};
  if (library < changes.libraries.size() && changes.libraries[library].copied.contains(function))
    return "that are copied already";
  if (!image->copyable)
    image->copyable = std::make_unique<Copyable>(image->image);
  if (const char *why = image->copyable->why_not(target))
    return why;
  changes.copied.push_back(target);
  changes.libraries[library].copied.insert(function);
  return nullptr;
}

bool overlaps_copied(const PrelinkImage &image, std::size_t library, std::uint64_t address,
                     std::uint64_t size) {
  const auto &copied = image.changes.libraries[library].copied;
  const auto next = copied.lower_bound(address + size);
  if (next == copied.begin())
    return false;
  const CodeRange *last = range_at(image.libraries[library].code.functions(), *std::prev(next));
  return last->end > address;
}

} // namespace sartor::loader
