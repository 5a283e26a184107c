// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_IMAGE_FILE_H
#define SARTOR_LOADER_LIB_IMAGE_IMAGE_FILE_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// The content of an image file other than the image itself.
struct Planned {
  std::uint64_t key = 0;
  /// Other files than the libraries that must stay unchanged, or stay absent.
  std::vector<std::filesystem::path> files;
  bool is_required = false; ///< The program starts as planned, or not at all.
  /// The front's command to plan the program again, with the front's file first; empty if there is
  /// none.
  std::vector<std::string> again = {};
  std::string untold = {}; ///< A message that the front is to report once.
};

/// Lays out an image, applies its changes to the libraries' code and writes the result into a file,
/// which appears at `path` when it is complete. Consumes the libraries' memory. Fails with
/// bad_plan, file_error.
Result<void> write_image(PrelinkImage image, const Planned &planned,
                         const std::filesystem::path &path);

/// The reason why the stock loader is to start a program, and its duration.
struct StockReason {
  std::string why;
  bool is_reported = true; ///< If false, the front reports the reason once.
  /// Validity in seconds if nothing changes; 0: unlimited.
  std::uint64_t lasts = 0;
};

/// Writes an image file that lets the stock loader start the program as usual, until one of the
/// files changes. Fails with file_error.
Result<void> write_stock_image(std::span<const KnownFile> files, const Planned &planned,
                               const StockReason &reason, const std::filesystem::path &path);

} // namespace sartor::loader

#endif
