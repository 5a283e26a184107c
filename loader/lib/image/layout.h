// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_LAYOUT_H
#define SARTOR_LOADER_LIB_IMAGE_LAYOUT_H

#include <cstdint>
#include <vector>

#include "loader/lib/image/image.h"

namespace sartor::loader {

/// Where a library lies in the arena.
struct Place {
  bool is_known = false;    ///< If not, the stock loader maps it from its file, anywhere.
  std::uint64_t base = 0;   ///< What is added to addresses of its file.
  std::int64_t delta = 0;   ///< What is added to those of writable data, too.
  bool is_absolute = false; ///< A program that can lie in one place only.
};

/// Where everything lies. Addresses are relative to the arena.
struct Layout {
  std::vector<Place> places; ///< By library.
  /// All that is packed and not writable; empty if nothing is. Ends at a huge page's end.
  std::uint64_t zone_begin = 0, zone_end = 0;
  std::uint64_t answers = 0; ///< A page: who answers the stock loader for the processor.
  std::uint64_t stubs = 0;   ///< Two pages behind it: the stubs of its calls, and theirs.
  std::uint64_t data_begin = 0, data_end = 0; ///< All that is packed and writable.
  std::uint64_t size = 0;
  std::uint64_t arena = 0;     ///< Where the arena must be; 0: anywhere.
  std::uint64_t alignment = 0; ///< Of where it is.

  /// What is added to addresses of a library's file, for one whose place is known.
  [[nodiscard]] std::uint64_t base_of(std::size_t library) const {
    const Place &place = places[library];
    return place.is_absolute ? place.base - arena : place.base;
  }
  /// Where an address of a library's file is; nothing if that is not known.
  [[nodiscard]] std::optional<std::uint64_t> address_of(const Image &image, Target target) const;
};

/// Packed libraries: what is not writable of them and the program together, in the image's order
/// from the top down, then their data in the same order upwards; then the others, as their files
/// have it. The arena can be anywhere unless something is bound between libraries and a program
/// that lies in one place: then it is where `random` says. `loader`: which library is the stock
/// loader. Fails with bad_plan if all together is too large for calls to reach.
Result<Layout> lay_out(const Image &image, std::size_t loader, std::uint64_t random);

} // namespace sartor::loader

#endif
