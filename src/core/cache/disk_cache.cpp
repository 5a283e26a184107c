// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/disk_cache.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <system_error>

#include <unistd.h>

namespace sartor::core {

namespace {

// A writer whose temporary file is older than this has died.
constexpr std::int64_t kTemporaryLifetime = 3'600'000'000'000;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace

std::unique_ptr<DiskCache> DiskCache::open(const std::filesystem::path &directory,
                                           std::uint64_t limit, Report report) {
  auto handle = open_directory(directory, /*make=*/true);
  if (!handle) {
    report("cache_unusable", handle.error());
    return nullptr;
  }
  struct stat status;
  if (fstat(handle->get(), &status) != 0)
    status = {};
  if (std::string why = why_not_trusted(status); !why.empty()) {
    report("cache_refused", {ErrorCode::file_error, directory.string(), std::move(why),
                             "name a directory that only this user can write to"});
    return nullptr;
  }
  std::error_code error; // for a deleted directory
  auto absolute = std::filesystem::absolute(directory, error);
  return std::unique_ptr<DiskCache>(
      new DiskCache(error ? directory : absolute, std::move(*handle), limit, std::move(report)));
}

DiskCache::Handle DiskCache::handle() {
  const std::lock_guard lock(handle_mutex_);
  if (handle_->is_still_ours())
    return handle_;
  auto again = open_directory(directory_, /*make=*/false);
  struct stat status{};
  const bool is_good =
      again && fstat(again->get(), &status) == 0 && why_not_trusted(status).empty();
  if (is_good || !has_reported_loss_)
    report_("descriptor_lost",
            failure("",
                    std::string("the program has closed the cache's descriptor, ") +
                        (is_good ? "and the directory is opened again"
                                 : "and the directory cannot be opened again: code is not kept"),
                    "close only what the program has opened itself"));
  has_reported_loss_ = !is_good;
  if (handle_->get() >= 0) // the new one may have the same number
    lost_.push_back(handle_);
  handle_ = std::make_shared<FileHandle>(is_good ? std::move(*again) : FileHandle(-1));
  return handle_;
}

Failure DiskCache::failure(const std::string &name, std::string what, std::string remedy) const {
  return {ErrorCode::file_error, (directory_ / name).string(), std::move(what), std::move(remedy)};
}

std::optional<std::string> DiskCache::find(const base::ContentKey &key) {
  const std::string name = file_name(key);
  const Handle directory = handle();
  const auto file = read_file(*directory, name, /*mark_used=*/true, kMostStoredBytes);
  if (!file && file.error() == EFBIG) {
    drop(*directory, name, "is larger than any code can be");
    return std::nullopt;
  }
  if (!file) {
    if (file.error() != ENOENT && directory->get() >= 0 && !reported_unusable_.exchange(true))
      report_("cache_unusable",
              failure(name, "cannot be read: " + std::generic_category().message(file.error()),
                      "remove it, or let this user read it"));
    return std::nullopt;
  }
  if (std::string why = why_not_trusted(file->status); !why.empty()) {
    if (!reported_refused_.exchange(true))
      report_("cache_refused", failure(name, std::move(why), "remove it"));
    return std::nullopt;
  }
  const auto stored = unpack_stored(file->bytes);
  if (stored && stored->key == key)
    return std::string(stored->image);
  drop(*directory, name, stored ? "holds the code of another key" : stored.error().message);
  return std::nullopt;
}

void DiskCache::drop(const FileHandle &directory, const std::string &name, std::string why) {
  unlinkat(directory.get(), name.c_str(), 0);
  report_("cache_damaged", failure(name, std::move(why), "it is removed, and made again"));
}

void DiskCache::insert(const base::ContentKey &key, const StoredInfo &info,
                       std::string_view image) {
  const std::string bytes = pack_stored(key, info, image);
  if (bytes.size() > std::min(limit_, kMostStoredBytes))
    return;
  const std::string temporary = "." + base::to_text(key) + "." + std::to_string(getpid()) + "." +
                                std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "." +
                                std::to_string(++writes_) + ".tmp";
  const Handle directory = handle();
  if (directory->get() < 0)
    return;
  if (auto written = write_file(*directory, file_name(key), temporary, bytes); !written) {
    if (!reported_unusable_.exchange(true))
      report_("cache_unusable",
              failure("",
                      "cannot be written to: " + std::generic_category().message(written.error()),
                      "code is compiled and not kept; make room, or let this user write"));
    return;
  }
  make_room_after(*directory, bytes.size());
}

bool DiskCache::erase(const base::ContentKey &key) {
  return unlinkat(handle()->get(), file_name(key).c_str(), 0) == 0;
}

std::vector<base::ContentKey>
DiskCache::erase_if(const std::function<bool(const StoredInfo &)> &is_meant) {
  std::vector<base::ContentKey> erased;
  const Handle directory = handle();
  for (const CacheFile &file : list_files(*directory)) {
    const auto content =
        file.temporary ? std::unexpected(ENOENT)
                       : read_file(*directory, file.name, /*mark_used=*/false, kMostStoredBytes);
    const auto stored = content ? unpack_stored(content->bytes) : std::unexpected(Failure{});
    const auto info = stored ? read_info(stored->info) : std::unexpected(Failure{});
    if (info && is_meant(*info) && file_name(stored->key) == file.name && erase(stored->key))
      erased.push_back(stored->key);
  }
  return erased;
}

// Lists the directory after the first file, when our files would exceed the limit, and periodically
// because of other processes' files.
void DiskCache::make_room_after(const FileHandle &directory, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ += bytes;
  fresh_ += bytes;
  if (has_looked_ && used_ <= limit_ && fresh_ <= limit_ / 8)
    return;
  has_looked_ = true;
  fresh_ = 0;
  used_ = 0;
  std::vector<CacheFile> files = list_files(directory);
  for (const CacheFile &file : files)
    used_ += file.bytes;
  const std::int64_t oldest = now() - kTemporaryLifetime;
  // Deletes more than necessary, so that this is rarely done.
  const std::uint64_t enough = used_ > limit_ ? limit_ / 4 * 3 : limit_;
  std::ranges::sort(files, {}, &CacheFile::used);
  for (const CacheFile &file : files)
    if (file.temporary ? file.used < oldest : used_ > enough)
      if (unlinkat(directory.get(), file.name.c_str(), 0) == 0)
        used_ -= file.bytes;
}

} // namespace sartor::core
