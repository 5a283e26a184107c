// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/pieces.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/fsverity.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sartor::loader {

namespace {

/// Makes the kernel refuse to read changed content of the file from now on, if the file system
/// supports it (fs-verity). No process may have the file open for writing.
void seal(const std::filesystem::path &path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return;
  fsverity_enable_arg how{};
  how.version = 1;
  how.hash_algorithm = FS_VERITY_HASH_ALG_SHA256;
  how.block_size = 4096;
  // Most kernels and file systems do not support it; checksums exist in any case.
  if (ioctl(file, FS_IOC_ENABLE_VERITY, &how) == 0)
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); // its pages were cached as small pages
  close(file);
}

/// A file that does not appear until it is complete.
class NewFile {
public:
  /// `path`: the final path. The file has no name until it appears, so that a killed process leaves
  /// nothing behind.
  explicit NewFile(const std::filesystem::path &path) : path_(path), temporary_(path) {
    temporary_ += ".new";
    file_ = open(path.parent_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file_ >= 0)
      return;
    unlink(temporary_.c_str()); // left by a killed process, on file systems that need names
    file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    has_name_ = file_ >= 0;
  }
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;
  ~NewFile() {
    if (file_ >= 0)
      close(file_);
    if (has_name_)
      unlink(temporary_.c_str());
  }
  [[nodiscard]] int get() const { return file_; }
  /// Replaces an existing file. The replacement needs a second name for a moment; if the process is
  /// killed then, the next one removes it.
  bool appear() {
    if (!has_name_) {
      unlink(temporary_.c_str());
      if (link_to(path_))
        return true;
      has_name_ = link_to(temporary_);
    }
    const bool appeared = has_name_ && rename(temporary_.c_str(), path_.c_str()) == 0;
    has_name_ = has_name_ && !appeared;
    return appeared;
  }

private:
  /// Returns false if the path exists already.
  [[nodiscard]] bool link_to(const std::filesystem::path &path) const {
    const std::string own = "/proc/self/fd/" + std::to_string(file_);
    return linkat(AT_FDCWD, own.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
  bool has_name_ = false;
};

bool put(int file, const Piece &piece) {
  for (std::size_t done = 0; done < piece.bytes.size();) {
    const ssize_t count = pwrite(file, piece.bytes.data() + done, piece.bytes.size() - done,
                                 static_cast<off_t>(piece.offset + done));
    if (count <= 0)
      return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

bool is_there(int file, const Piece &piece) {
  std::vector<std::byte> part(std::min<std::size_t>(piece.bytes.size(), 1U << 20));
  for (std::size_t done = 0; done < piece.bytes.size();) {
    const std::size_t most = std::min(part.size(), piece.bytes.size() - done);
    const ssize_t count = pread(file, part.data(), most, static_cast<off_t>(piece.offset + done));
    if (count <= 0 ||
        !std::ranges::equal(std::span(part).first(static_cast<std::size_t>(count)),
                            std::span(piece.bytes).subspan(done, static_cast<std::size_t>(count))))
      return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

Result<void> write_new(const std::vector<const Piece *> &pieces, std::uint64_t size,
                       const std::filesystem::path &path, bool is_executable) {
  NewFile file(path);
  const auto failure = [&](std::string what, const char *remedy) {
    return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(what), remedy});
  };
  const auto failed = [&] {
    const int error = errno;
    return failure(std::generic_category().message(error),
                   error == EFBIG ? "raise the limit of file sizes (ulimit -f)"
                                  : "see whether it may be written and the disk has room");
  };
  const auto all = [&](bool (*does)(int, const Piece &)) {
    return std::ranges::all_of(pieces,
                               [&](const Piece *piece) { return does(file.get(), *piece); });
  };
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(size)) != 0 || !all(put) ||
      fsync(file.get()) != 0)
    return failed();
  // Written data is in small pages of the cache; data that is read from the disk is in large ones.
  const auto forget = [&] { posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED); };
  forget();
  if (!all(is_there))
    return failure("does not read as it was written", "check the disk");
  forget();
  if (is_executable && fchmod(file.get(), S_IRWXU) != 0)
    return failed();
  if (!file.appear())
    return failed();
  return {};
}

} // namespace

Result<void> write_pieces(const std::vector<const Piece *> &pieces, std::uint64_t size,
                          const std::filesystem::path &path, bool is_executable) {
  auto written = write_new(pieces, size, path, is_executable);
  if (written)
    seal(path);
  return written;
}

} // namespace sartor::loader
