// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_WRITTEN_IMAGE_H
#define SARTOR_LOADER_LIB_IMAGE_WRITTEN_IMAGE_H

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/file_identity.h"
#include "loader/lib/format/image_format.h"

namespace sartor::loader {

/// Returns the checksum of a mapping: `bytes`, followed by zeros up to `size`.
std::uint64_t checksum_of(std::span<const std::byte> bytes, std::uint64_t size);

/// A place in a file.
struct FilePlace {
  std::filesystem::path path;
  std::uint64_t offset;
};

/// Reads an image file after it was written, for the planner and tools; the front has its own
/// reader.
class WrittenImage {
public:
  /// Fails with file_error, or with bad_plan if the plan is damaged.
  static Result<WrittenImage> read(const std::filesystem::path &path);

  /// Returns the files that the image depends on.
  [[nodiscard]] const std::vector<KnownFile> &files() const { return files_; }
  /// Returns the key of the image: see key_of().
  [[nodiscard]] std::uint64_t key() const { return key_; }
  /// Returns the front's command that plans the program again, without the program; empty if there
  /// is none.
  [[nodiscard]] const std::vector<std::string> &again() const { return again_; }
  /// True if none of the files has changed.
  [[nodiscard]] bool is_current() const;
  /// Returns where an address of a library is mapped from: the image file, or the library's own
  /// file. Nothing if the image does not map it.
  [[nodiscard]] std::optional<FilePlace> place_of(const ElfFile &library,
                                                  const format::FileIdentity &identity,
                                                  std::uint64_t address) const;
  /// Verifies the checksums of all mappings and of the ELF tables. Fails with file_error, bad_plan.
  [[nodiscard]] Result<void> check() const;

private:
  std::filesystem::path path_;
  std::vector<KnownFile> files_;
  std::uint64_t key_ = 0;
  std::vector<std::string> again_;
  std::vector<format::Mapping> mappings_;
  std::vector<format::Library> libraries_;
  std::uint64_t entry_ = 0; ///< The program's entry; 0 if it is not in the image.
  std::uint64_t size_ = 0;  ///< Size of the file.
  std::uint64_t elf_tables_ = 0, elf_checksum_ = 0;
};

} // namespace sartor::loader

#endif
