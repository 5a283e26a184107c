// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_IMAGE_FILE_H
#define SARTOR_LOADER_LIB_IMAGE_IMAGE_FILE_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "loader/lib/image/image.h"

namespace sartor::loader {

/// What an image file says besides the image itself.
struct Planned {
  std::uint64_t key = 0;
  /// Files besides the libraries that must stay as they are, or stay absent.
  std::vector<std::filesystem::path> files;
  bool is_required = false; ///< The program starts as planned, or not at all.
  /// How the front is told to plan it anew, the front's file first; empty if it cannot be told.
  std::vector<std::string> again = {};
  std::string untold = {}; ///< What whoever started it has not heard; the front tells it, once.
};

/// Lays out an image, applies its changes to the libraries' code and writes all that into a file,
/// which appears at `path` when it is complete. The libraries' memory is used up. Fails with
/// bad_plan, file_error.
Result<void> write_image(Image image, const Planned &planned, const std::filesystem::path &path);

/// Why the stock loader is to start a program, and until when.
struct StockReason {
  std::string why;
  bool is_told = true; ///< If not, the front tells it, once.
  /// For how long, in seconds, if nothing changes; 0: for ever.
  std::uint64_t lasts = 0;
};

/// Writes an image file that has the stock loader start the program as ever, until one of the files
/// changes. Fails with file_error.
Result<void> write_stock_image(std::span<const KnownFile> files, const Planned &planned,
                               const StockReason &reason, const std::filesystem::path &path);

} // namespace sartor::loader

#endif
