// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_DISK_CACHE_H
#define SARTOR_CORE_CACHE_DISK_CACHE_H

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/cache/cache_files.h"
#include "core/cache/stored_image.h"

namespace sartor::core {

/// Object code in a directory that the processes of a user share: a file for each piece, named by
/// its key and written atomically by renaming; the least recently used ones are deleted. A fault of
/// the directory is reported once, and the cache is then not used. Damaged files are reported and
/// removed. If the program has closed the directory's descriptor, the directory is opened again.
///
/// Loaded code is run, so no file is loaded that another user (except root) owns or may write to.
/// Thread-safe.
class DiskCache {
public:
  /// Receives an event (cache_unusable, cache_refused, cache_damaged) and its details, on any
  /// thread.
  using Report = std::function<void(std::string_view event, const Failure &failure)>;

  /// Creates the directory if it is missing. Returns null, and reports, if it cannot be used.
  /// `limit` is the total size of its files in bytes.
  static std::unique_ptr<DiskCache> open(const std::filesystem::path &directory,
                                         std::uint64_t limit, Report report);

  /// The image that is stored under that key.
  std::optional<std::string> find(const base::ContentKey &key);
  void insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image);
  /// Removes the image stored under a key. False if there is none.
  bool erase(const base::ContentKey &key);
  /// Removes all entries whose info `is_meant` accepts. Returns their keys.
  std::vector<base::ContentKey> erase_if(const std::function<bool(const StoredInfo &)> &is_meant);

private:
  using Handle = std::shared_ptr<const FileHandle>;

  DiskCache(std::filesystem::path directory, FileHandle handle, std::uint64_t limit, Report report)
      : directory_(std::move(directory)), limit_(limit), report_(std::move(report)),
        handle_(std::make_shared<FileHandle>(std::move(handle))) {}

  /// Handle of the directory, which is opened again if the program has closed it.
  Handle handle();

  [[nodiscard]] Failure failure(const std::string &name, std::string what,
                                std::string remedy) const;
  void drop(const FileHandle &directory, const std::string &name, std::string why);
  void make_room_after(const FileHandle &directory, std::uint64_t bytes);

  const std::filesystem::path directory_;
  const std::uint64_t limit_;
  const Report report_;
  std::atomic<bool> reported_unusable_ = false;
  std::atomic<bool> reported_refused_ = false;
  std::atomic<std::uint64_t> writes_ = 0;
  base::Mutex handle_mutex_; ///< Guards the next three.
  Handle handle_;
  std::vector<Handle> lost_; ///< Other threads may still use one; closed only by the destructor.
  bool has_reported_loss_ = false;
  base::Mutex mutex_;       ///< Guards the members below.
  bool has_looked_ = false; ///< True once `used_` was read from the directory.
  std::uint64_t used_ = 0;  ///< Bytes in the directory at the last listing, plus ours since.
  std::uint64_t fresh_ = 0; ///< Our bytes since the last listing.
};

} // namespace sartor::core

#endif
