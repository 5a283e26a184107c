// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/pieces.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sartor::load {

Result<void> write_pieces(const std::vector<const Piece *> &pieces, std::uint64_t size,
                          const std::filesystem::path &path) {
  const auto failed = [&](const std::string &what) {
    return std::unexpected(Failure{ErrorCode::file_error, path.string(), what,
                                   "see whether it may be written and the disk has room"});
  };
  const std::filesystem::path temporary = path.string() + "." + std::to_string(getpid());
  const int file =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return failed(std::generic_category().message(errno));
  bool written = ftruncate(file, static_cast<off_t>(size)) == 0;
  const auto put = [&](const Piece &piece) {
    for (std::size_t done = 0; written && done < piece.bytes.size();) {
      const ssize_t count = pwrite(file, piece.bytes.data() + done, piece.bytes.size() - done,
                                   static_cast<off_t>(piece.offset + done));
      written = count > 0;
      done += written ? static_cast<std::size_t>(count) : 0;
    }
  };
  for (const Piece *piece : pieces)
    put(*piece);
  // What was written lies in small pages of the cache: from the disk, it comes in large ones.
  written = fsync(file) == 0 && written;
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  written = close(file) == 0 && written;
  if (written && rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  const std::string why = std::generic_category().message(errno);
  unlink(temporary.c_str());
  return failed(why);
}

} // namespace sartor::load
