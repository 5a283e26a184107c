// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_SYMBOL_FILE_H
#define SARTOR_LOADER_LIB_IMAGE_SYMBOL_FILE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/lib/format/image_format.h"
#include "loader/lib/image/image.h"
#include "loader/lib/image/layout.h"

namespace sartor::loader {

/// What makes an ELF file of an image file, with a build id and the names of all
/// functions in it.
struct SymbolFile {
  std::vector<std::byte> header; ///< Goes to the file's beginning; less than a page.
  std::vector<std::byte> tables;
};

/// `key`: what it is planned for. `at`: where the tables go in the file.
SymbolFile symbols_of(const Image &image, const Layout &layout,
                      std::span<const format::Mapping> mappings, std::uint64_t key,
                      std::uint64_t at);

} // namespace sartor::loader

#endif
