// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_SYMBOL_FILE_H
#define SARTOR_LOADER_LIB_IMAGE_SYMBOL_FILE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/lib/format/image_format.h"
#include "loader/lib/image/copies.h"
#include "loader/lib/image/layout.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// The parts that make an image file an ELF file, for tracers and profilers: a build id, segments,
/// the names of all functions and variables in it, the static probes, and notes about the
/// libraries. No start reads or maps them.
struct SymbolFile {
  std::vector<std::byte> header; ///< Content of the file's beginning; less than a page.
  std::vector<std::byte> tables;
};

/// `key`: the plan's key. `at`: offset of the tables in the file.
SymbolFile symbols_of(const PrelinkImage &image, const Layout &layout, std::span<const Copy> copies,
                      std::span<const format::Mapping> mappings, std::uint64_t key,
                      std::uint64_t at);

/// Returns the checksum of both parts.
std::uint64_t checksum_of(const SymbolFile &file);

} // namespace sartor::loader

#endif
