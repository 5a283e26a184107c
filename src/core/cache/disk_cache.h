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
#include "base/mutex.h"
#include "base/result.h"
#include "core/cache/cache_files.h"
#include "core/cache/stored_image.h"

namespace sartor::core {

/// Object code in a directory that the processes of a user share: a file for each piece, named by
/// its key, put there as a whole by renaming; least recently used ones dropped. A fault
/// of the directory is reported once, and the cache is then not used. Damaged files are reported
/// and removed. A descriptor of the directory that the program has closed is opened again.
///
/// What is loaded is run, so nothing is loaded that another user (but root) owns or may write to.
/// Thread-safe.
class DiskCache {
public:
  /// Takes an event (cache_unusable, cache_refused, cache_damaged) and what happened, on any
  /// thread.
  using Report = std::function<void(std::string_view event, const Failure &failure)>;

  /// Makes the directory if it is missing. Null, and a report, where it cannot be used. `limit` is
  /// in bytes of files.
  static std::unique_ptr<DiskCache> open(const std::filesystem::path &directory,
                                         std::uint64_t limit, Report report);

  /// The image that has been put there under that key.
  std::optional<std::string> find(const base::ContentKey &key);
  void insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image);
  /// Removes what is stored under a key. False if there is nothing.
  bool erase(const base::ContentKey &key);
  /// Removes all entries whose info `is_meant` accepts. Returns their keys.
  std::vector<base::ContentKey> erase_if(const std::function<bool(const StoredInfo &)> &is_meant);

private:
  using Handle = std::shared_ptr<const FileHandle>;

  DiskCache(std::filesystem::path directory, FileHandle handle, std::uint64_t limit, Report report)
      : directory_(std::move(directory)), limit_(limit), report_(std::move(report)),
        handle_(std::make_shared<FileHandle>(std::move(handle))) {}

  /// Of the directory, which is opened again if the program has closed it.
  Handle handle();

  [[nodiscard]] Failure failure(const std::string &name, std::string what,
                                std::string remedy) const;
  void drop(const FileHandle &directory, const std::string &name, std::string why);
  void make_room_after(const FileHandle &directory, std::uint64_t bytes);

  const std::filesystem::path directory_;
  const std::uint64_t limit_;
  const Report report_;
  std::atomic<bool> told_unusable_ = false;
  std::atomic<bool> told_refused_ = false;
  std::atomic<std::uint64_t> writes_ = 0;
  base::Mutex handle_mutex_; ///< Guards the next three.
  Handle handle_;
  std::vector<Handle> lost_; ///< Others may still use one; none is closed before this goes.
  bool has_reported_loss_ = false;
  base::Mutex mutex_;       ///< Guards what follows.
  bool has_looked_ = false; ///< Whether `used_` was ever read from the directory.
  std::uint64_t used_ = 0;  ///< Bytes in the directory when last looked, and ours since.
  std::uint64_t fresh_ = 0; ///< Those that are ours.
};

} // namespace sartor::core

#endif
