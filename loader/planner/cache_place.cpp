// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planner/cache_place.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace sartor::planner {

namespace fs = std::filesystem;

namespace {

/// Returns 0 if a little data can be written, or else the error. Room for the whole image shows
/// when it is written.
int check_room(int file) {
  constexpr off_t little = 1 << 16;
  const int error = posix_fallocate(file, 0, little);
  return ftruncate(file, 0) == 0 ? error : errno;
}

Failure no_room(const fs::path &directory, int error) {
  const std::string what = "images cannot be kept there: ";
  if (error == EFBIG)
    return {ErrorCode::file_error, directory.string(), what + "the limit of file sizes is too low",
            "raise it (ulimit -f)"};
  return {ErrorCode::file_error, directory.string(), what + "the disk is full", "make room"};
}

/// True if a file is an image, or a partly written one: the planner owns no other files in the
/// directory of images.
bool is_ours(const fs::path &path) {
  constexpr std::size_t digits = 16;
  const std::string name = path.filename().string();
  return name.find_first_not_of("0123456789abcdef") == digits &&
         name.compare(digits, std::strlen(".image"), ".image") == 0;
}

} // namespace

Result<CachePlace> CachePlace::open(const fs::path &image) {
  const fs::path directory = image.parent_path();
  std::error_code error;
  umask(S_IRWXG | S_IRWXO); // files are private to the user
  fs::create_directories(directory, error);
  const int file =
      ::open((directory / "sartor-ld.lock").c_str(),
             O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
  const std::string why = std::generic_category().message(errno);
  if (file < 0)
    return std::unexpected(Failure{ErrorCode::file_error, directory.string(),
                                   "images cannot be kept there: " + why,
                                   "make the user that starts programs own it"});
  CachePlace place(directory, file);
  const int probe = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  // Without O_TMPFILE, lack of room shows later.
  const int room = probe < 0 ? 0 : check_room(probe);
  if (probe >= 0)
    close(probe);
  if (room != 0)
    return std::unexpected(no_room(directory, room));
  return place;
}

CachePlace::CachePlace(CachePlace &&other) noexcept
    : directory_(std::move(other.directory_)), lock_(std::exchange(other.lock_, -1)) {}

CachePlace::~CachePlace() {
  if (lock_ >= 0)
    close(lock_);
}

bool CachePlace::lock(std::uint64_t key, bool waits) {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(key >> 1);
  range.l_len = 1;
  if (fcntl(lock_, F_OFD_SETLK, &range) == 0)
    return true;
  if (errno != EAGAIN && errno != EACCES)
    return true; // on a file system without locks, two planners write the same content
  if (waits)
    fcntl(lock_, F_OFD_SETLKW, &range);
  return false;
}

bool CachePlace::is_executable() const {
  struct statvfs of{};
  return statvfs(directory_.c_str(), &of) != 0 || (of.f_flag & ST_NOEXEC) == 0;
}

void CachePlace::trim() const {
  constexpr std::uintmax_t most = std::uintmax_t{4} << 30;
  constexpr std::chrono::hours abandoned{24};
  std::error_code error;
  struct Kept {
    fs::path path;
    std::uintmax_t size;
    timespec used;
  };
  std::vector<Kept> images;
  std::uintmax_t size = 0;
  for (const auto &entry : fs::directory_iterator(directory_, error)) {
    const fs::path &path = entry.path();
    struct stat status{};
    if (!is_ours(path) || lstat(path.c_str(), &status) != 0)
      continue;
    if (path.extension() == ".image") {
      const bool was_read = status.st_atim.tv_sec > status.st_mtim.tv_sec;
      images.push_back({path, static_cast<std::uintmax_t>(status.st_size),
                        was_read ? status.st_atim : status.st_mtim});
      size += images.back().size;
    } else if (fs::file_time_type::clock::now() - entry.last_write_time(error) > abandoned) {
      fs::remove(path, error);
    }
  }
  std::ranges::sort(images, {},
                    [](const Kept &one) { return std::pair(one.used.tv_sec, one.used.tv_nsec); });
  for (auto oldest = images.begin(); size > most && oldest != images.end(); ++oldest) {
    size -= oldest->size;
    fs::remove(oldest->path, error);
  }
}

} // namespace sartor::planner
