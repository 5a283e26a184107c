// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/log_file.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor::view {

namespace {

constexpr std::size_t kAtOnce = std::size_t{4} << 20;
static_assert(kAtOnce > EventLines::most_line);

std::unexpected<Failure> fail(const std::filesystem::path &path, const std::string &why) {
  return std::unexpected(Failure{ErrorCode::file_error, path.string(), "cannot be read: " + why,
                                 "give the file that SARTOR_EVENT_LOG or Options::event_log "
                                 "named"});
}

/// Reads up to `most` bytes; fewer only at the end.
Result<std::string> read_at(const base::FileHandle &file, std::uint64_t offset, std::size_t most,
                            const std::filesystem::path &path) {
  std::string bytes(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t count =
        pread(file.get(), bytes.data() + size, most - size, static_cast<off_t>(offset + size));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(path, std::strerror(errno));
    if (count == 0)
      break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

} // namespace

Result<LogFile> LogFile::open(const std::filesystem::path &path) {
  // Does not wait for the writer of a pipe.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fail(path, std::strerror(errno));
  base::FileHandle file(descriptor);
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return fail(path, "is not a file");
  return LogFile(path, std::move(file));
}

Result<std::uint64_t> LogFile::size() const {
  struct stat status;
  if (fstat(file_.get(), &status) != 0)
    return fail(path_, std::strerror(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::uint64_t> LogFile::read(std::uint64_t offset, LastLine last, EventLines &lines) const {
  const auto block = read_at(file_, offset, kAtOnce, path_);
  if (!block)
    return std::unexpected(block.error());
  std::string_view rest = *block;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    lines.add(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  const std::uint64_t next = offset + block->size() - rest.size();
  if (block->size() == kAtOnce)
    return next > offset ? next : skip_line(offset, last, *block, lines);
  if (last == LastLine::waited_for || rest.empty())
    return next;
  lines.add(rest);
  return offset + block->size();
}

Result<std::uint64_t> LogFile::skip_line(std::uint64_t offset, LastLine last,
                                         std::string_view beginning, EventLines &lines) const {
  for (std::uint64_t at = offset + beginning.size();;) {
    const auto block = read_at(file_, at, kAtOnce, path_);
    if (!block)
      return std::unexpected(block.error());
    const std::size_t end = block->find('\n');
    if (end == std::string::npos && block->empty() && last == LastLine::waited_for)
      return offset;
    at += end == std::string::npos ? block->size() : end;
    if (end != std::string::npos || block->empty()) {
      lines.add_too_long(beginning, at - offset);
      return at + (end == std::string::npos ? 0 : 1);
    }
  }
}

} // namespace sartor::view
