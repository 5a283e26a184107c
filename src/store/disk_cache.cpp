// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "store/disk_cache.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <system_error>

#include <unistd.h>

namespace sartor::store {

namespace {

// A writer that has not come back for this long has died.
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
  return std::unique_ptr<DiskCache>(
      new DiskCache(directory, std::move(*handle), limit, std::move(report)));
}

Failure DiskCache::failure(const std::string &name, std::string what, std::string remedy) const {
  return {ErrorCode::file_error, (directory_ / name).string(), std::move(what), std::move(remedy)};
}

std::optional<std::string> DiskCache::find(const ContentKey &key) {
  const std::string name = file_name(key);
  const auto file = read_file(handle_, name, /*mark_used=*/true, kMostStoredBytes);
  if (!file && file.error() == EFBIG) {
    drop(name, "is larger than any code can be");
    return std::nullopt;
  }
  if (!file) {
    if (file.error() != ENOENT && !told_unusable_.exchange(true))
      report_("cache_unusable",
              failure(name, "cannot be read: " + std::generic_category().message(file.error()),
                      "remove it, or let this user read it"));
    return std::nullopt;
  }
  if (std::string why = why_not_trusted(file->status); !why.empty()) {
    if (!told_refused_.exchange(true))
      report_("cache_refused", failure(name, std::move(why), "remove it"));
    return std::nullopt;
  }
  const auto stored = unpack(file->bytes);
  if (stored && stored->key == key)
    return std::string(stored->image);
  drop(name, stored ? "holds the code of another key" : stored.error().message);
  return std::nullopt;
}

void DiskCache::drop(const std::string &name, std::string why) {
  unlinkat(handle_.get(), name.c_str(), 0);
  report_("cache_damaged", failure(name, std::move(why), "it is removed, and made again"));
}

void DiskCache::insert(const ContentKey &key, const StoredInfo &info, std::string_view image) {
  const std::string bytes = pack(key, info, image);
  if (bytes.size() > std::min(limit_, kMostStoredBytes))
    return;
  const std::string temporary = "." + to_text(key) + "." + std::to_string(getpid()) + "." +
                                std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "." +
                                std::to_string(++writes_) + ".tmp";
  if (auto written = write_file(handle_, file_name(key), temporary, bytes); !written) {
    if (!told_unusable_.exchange(true))
      report_("cache_unusable",
              failure("",
                      "cannot be written to: " + std::generic_category().message(written.error()),
                      "code is compiled and not kept; make room, or let this user write"));
    return;
  }
  make_room_after(bytes.size());
}

bool DiskCache::erase(const ContentKey &key) {
  return unlinkat(handle_.get(), file_name(key).c_str(), 0) == 0;
}

std::vector<ContentKey>
DiskCache::erase_if(const std::function<bool(const StoredInfo &)> &is_meant) {
  std::vector<ContentKey> erased;
  for (const CacheFile &file : list_files(handle_)) {
    const auto content = file.temporary
                             ? std::unexpected(ENOENT)
                             : read_file(handle_, file.name, /*mark_used=*/false, kMostStoredBytes);
    const auto stored = content ? unpack(content->bytes) : std::unexpected(Failure{});
    const auto info = stored ? read_info(stored->info) : std::unexpected(Failure{});
    if (info && is_meant(*info) && file_name(stored->key) == file.name && erase(stored->key))
      erased.push_back(stored->key);
  }
  return erased;
}

// The directory is looked at after the first file, when ours would exceed the limit, and now and
// then because of what others put there.
void DiskCache::make_room_after(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ += bytes;
  fresh_ += bytes;
  if (has_looked_ && used_ <= limit_ && fresh_ <= limit_ / 8)
    return;
  has_looked_ = true;
  fresh_ = 0;
  used_ = 0;
  std::vector<CacheFile> files = list_files(handle_);
  for (const CacheFile &file : files)
    used_ += file.bytes;
  const std::int64_t oldest = now() - kTemporaryLifetime;
  // Some more than needed, so that this is done once in a while.
  const std::uint64_t enough = used_ > limit_ ? limit_ / 4 * 3 : limit_;
  std::ranges::sort(files, {}, &CacheFile::used);
  for (const CacheFile &file : files)
    if (file.temporary ? file.used < oldest : used_ > enough)
      if (unlinkat(handle_.get(), file.name.c_str(), 0) == 0)
        used_ -= file.bytes;
}

} // namespace sartor::store
