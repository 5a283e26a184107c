// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_FILE_PLACES_H
#define SARTOR_LOADER_LIB_IMAGE_FILE_PLACES_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "loader/lib/format/image_format.h"
#include "loader/lib/image/copies.h"
#include "loader/lib/image/layout.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// Finds the bytes of libraries in the image file. The image and the layout must outlive it.
class FilePlaces {
public:
  FilePlaces(const PrelinkImage &image, const Layout &layout,
             std::span<const format::Mapping> mappings);

  /// Returns the offset in the image file of what is at an address of a library's file; nothing if
  /// it is not mapped from there.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::size_t library,
                                                       std::uint64_t address) const;
  /// Returns the offset of a copied function.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(const Copy &copy) const {
    return offset_at(false, layout_.copies + copy.offset);
  }
  /// Returns the mappings of the image file, by offset.
  [[nodiscard]] std::vector<format::Mapping> by_offset() const;

private:
  /// Returns the offset of an address in the arena, or an absolute one.
  [[nodiscard]] std::optional<std::uint64_t> offset_at(bool is_absolute,
                                                       std::uint64_t address) const;

  const PrelinkImage &image_;
  const Layout &layout_;
  std::vector<format::Mapping> mappings_; ///< Absolute ones last; by address.
};

} // namespace sartor::loader

#endif
