// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_IMAGE_SYMBOLS_H
#define SARTOR_LOADER_LIB_IMAGE_IMAGE_SYMBOLS_H

#include <span>
#include <string>
#include <vector>

#include <elf.h>

#include "loader/lib/image/copies.h"
#include "loader/lib/image/file_places.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// Returns the name by which an image's symbols tell a library from others: DT_SONAME, or else the
/// file's.
std::string name_of(const Library &library);

/// The symbol table of an image file. Values are offsets in the file; sections are not filled in.
struct ImageSymbols {
  std::vector<Elf64_Sym> entries;
  std::uint32_t first_global = 0;
  std::string names;
};

/// Returns the functions and variables of all libraries in the image file. Each is
/// `library!symbol`, or `library!symbol@version` if the version is not the default. A symbol of a
/// name that no other address has is also there under this name alone; it is the global one, which
/// profilers prefer. The copy of a function is `library!symbol.copy`.
ImageSymbols image_symbols(const PrelinkImage &image, const FilePlaces &places,
                           std::span<const Copy> copies);

} // namespace sartor::loader

#endif
