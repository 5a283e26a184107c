// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_WRITTEN_IMAGE_H
#define SARTOR_LOADER_LIB_IMAGE_WRITTEN_IMAGE_H

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "loader/lib/file/file_identity.h"
#include "loader/lib/format/image_format.h"

namespace sartor::loader {

/// Of what is mapped of an image file: `bytes`, and zeros up to `size`.
std::uint64_t checksum_of(std::span<const std::byte> bytes, std::uint64_t size);

/// An image file as it has been written, for who looks after them; the front has its own eyes.
class WrittenImage {
public:
  /// Fails with file_error, and with bad_plan if its plan is damaged.
  static Result<WrittenImage> read(const std::filesystem::path &path);

  /// What it has been made of.
  [[nodiscard]] const std::vector<KnownFile> &files() const { return files_; }
  /// Whether all that is mapped of it is what has been written. Fails with file_error, bad_plan.
  [[nodiscard]] Result<void> check() const;

private:
  std::filesystem::path path_;
  std::vector<KnownFile> files_;
  std::vector<format::Mapping> mappings_;
};

} // namespace sartor::loader

#endif
