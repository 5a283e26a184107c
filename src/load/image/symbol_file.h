// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_IMAGE_SYMBOL_FILE_H
#define SARTOR_LOAD_IMAGE_SYMBOL_FILE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "load/format/image_format.h"
#include "load/image/image.h"
#include "load/image/layout.h"

namespace sartor::load {

/// What makes an ELF file of an image file, with the names of all functions in it.
struct SymbolFile {
  std::vector<std::byte> header; ///< Goes to the file's beginning; less than a page.
  std::vector<std::byte> tables;
};

/// `at`: where the tables go in the file.
SymbolFile symbols_of(const Image &image, const Layout &layout,
                      std::span<const format::Mapping> mappings, std::uint64_t at);

} // namespace sartor::load

#endif
