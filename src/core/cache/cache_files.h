// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_CACHE_FILES_H
#define SARTOR_CORE_CACHE_CACHE_FILES_H

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "base/file/private_file.h"
#include "base/hash.h"
#include "base/result.h"

namespace sartor::core {

using base::FileHandle;

/// Name of an entry. The directory is flat: `<key>.sartor`, and `.<key>.<process>.<n>.tmp` while an
/// entry is written.
std::string file_name(const base::ContentKey &key);

/// A file of the directory whose name has the cache's format.
struct CacheFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t used = 0; ///< Time of the last use, nanoseconds since 1970.
  bool temporary = false;
};

/// Opens a directory, and creates it first if `make` is set. Fails with file_error.
Result<FileHandle> open_directory(const std::filesystem::path &directory, bool make);

/// The cache's files in an open directory, in no order.
std::vector<CacheFile> list_files(const FileHandle &directory);

struct FileBytes {
  std::string bytes;
  struct stat status;
};

/// Reads a file of an open directory and, if `mark_used` is set, marks it as used now. Fails with
/// errno; with EFBIG if it is larger than `most` bytes, including holes.
std::expected<FileBytes, int> read_file(const FileHandle &directory, const std::string &name,
                                        bool mark_used, std::uint64_t most);

/// Writes a file into an open directory atomically, under a temporary name first. Fails with errno.
std::expected<void, int> write_file(const FileHandle &directory, const std::string &name,
                                    const std::string &temporary, std::string_view bytes);

/// The reason why code of a file with this owner and mode must not be run; empty if there is none.
std::string why_not_trusted(const struct stat &status);

} // namespace sartor::core

#endif
