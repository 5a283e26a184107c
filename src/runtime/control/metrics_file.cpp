// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/metrics_file.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor {

namespace {

MetricsFile::Written written_of(const struct stat &status) {
  return {status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

} // namespace

void MetricsFile::name(std::filesystem::path path) {
  if (path == path_)
    return;
  path_ = std::move(path);
  is_inherited_ = false;
  next_ = {};
}

std::optional<std::filesystem::path> MetricsFile::due(Clock::time_point now) {
  if (path_.empty() || now < next_)
    return std::nullopt;
  next_ = now + kInterval;
  if (is_inherited_ && is_written_by_another())
    return std::nullopt;
  return path_;
}

void MetricsFile::forked(Clock::time_point now) {
  is_inherited_ = is_named();
  written_.reset();
  next_ = now + kAbandoned;
}

bool MetricsFile::is_written_by_another() const {
  struct stat status;
  if (lstat(path_.c_str(), &status) != 0 || written_ == written_of(status))
    return false;
  const std::chrono::system_clock::time_point changed{std::chrono::seconds(status.st_mtim.tv_sec)};
  return std::chrono::system_clock::now() - changed < kAbandoned;
}

Result<MetricsFile::Written> MetricsFile::replace(const std::filesystem::path &path,
                                                  std::string_view text) {
  const auto failed = [&](const std::string &why, const char *remedy) {
    return std::unexpected(
        Failure{ErrorCode::file_error, path.string(), "metrics cannot be written: " + why, remedy});
  };
  struct stat status;
  // rename(2) would replace a device, a pipe or a link.
  if (lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return failed("is not a regular file", "name a new file, or remove it");
  const std::string made = path.string() + "." + std::to_string(getpid());
  const base::FileHandle file(
      ::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.get() >= 0 &&
      write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fstat(file.get(), &status) == 0 && rename(made.c_str(), path.c_str()) == 0)
    return written_of(status);
  const std::string why = std::generic_category().message(errno);
  (void)unlink(made.c_str());
  return failed(why, "make the directory writable");
}

} // namespace sartor
