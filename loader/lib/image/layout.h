// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_LAYOUT_H
#define SARTOR_LOADER_LIB_IMAGE_LAYOUT_H

#include <cstdint>
#include <vector>

#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// The position of a library in the arena.
struct Place {
  bool is_known = false;    ///< If false, the stock loader maps the library's file anywhere.
  std::uint64_t base = 0;   ///< Offset that is added to addresses of the library's file.
  std::int64_t delta = 0;   ///< Offset that is also added to addresses of writable data. As `base`,
                            ///< a multiple of the alignment of the library's memory.
  bool is_absolute = false; ///< True for a program that cannot be moved.
};

/// The room that copies of functions need.
struct CopyRoom {
  std::uint64_t size = 0; ///< In bytes; whole pages.
  std::size_t owner = 0;  ///< The packed library that unwinders take for the copies' library.
};

/// The layout of the arena. Addresses are relative to it.
struct Layout {
  std::vector<Place> places; ///< Indexed by library.
  /// Range of all packed read-only memory; empty if there is none. Ends at the end of a huge page.
  std::uint64_t zone_begin = 0, zone_end = 0;
  std::uint64_t copies = 0;  ///< Begin of the copied functions, if there are any.
  std::uint64_t answers = 0; ///< Page that answers the stock loader's `cpuid` instructions.
  std::uint64_t stubs = 0;   ///< Two pages: stubs of the stock loader's calls, hook page.
  std::uint64_t data_begin = 0, data_end = 0; ///< Range of all packed writable memory.
  std::uint64_t size = 0;
  std::uint64_t arena = 0;     ///< Required address of the arena; 0: any.
  std::uint64_t alignment = 0; ///< Required alignment of the arena.

  /// Returns the offset to add to addresses of a library's file; the library's position must be
  /// known.
  [[nodiscard]] std::uint64_t base_of(std::size_t library) const {
    const Place &place = places[library];
    return place.is_absolute ? place.base - arena : place.base;
  }
  /// Returns the position of an address of a library's file; nothing if it is not known.
  [[nodiscard]] std::optional<std::uint64_t> address_of(const PrelinkImage &image,
                                                        Target target) const;
};

/// Lays out an image. Read-only memory of the packed libraries and the program comes first, in the
/// image's order from the top down. Their data follows in the same order upwards, then the other
/// libraries as they are in their files. The arena can be at any address unless libraries are bound
/// to a program that cannot be moved: then `random` selects its address. Copies of functions are
/// above their owner, on as few huge pages as possible. `loader`: index of the stock loader. Fails
/// with bad_plan if the arena exceeds the reach of calls.
Result<Layout> lay_out(const PrelinkImage &image, std::size_t loader, std::uint64_t random,
                       const CopyRoom &copies = {});

} // namespace sartor::loader

#endif
