// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld_check.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "loader/lib/image/written_image.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

/// The same directory as in the loader's front.
fs::path standard_directory() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  const char *home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/')
    return fs::path(cache) / "sartor/ld";
  return home != nullptr && *home == '/' ? fs::path(home) / ".cache/sartor/ld"
                                         : fs::path("/var/cache/sartor/ld");
}

/// True if the kernel guarantees that the content is as it was written.
bool is_sealed(const fs::path &path) {
  struct statx status{};
  return statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_VERITY) != 0;
}

} // namespace

LdCheckCommand::LdCheckCommand(CLI::App &ld)
    : command_(ld.add_subcommand(
          "check", "Read the images that are kept, and delete those that are damaged.")) {
  command_->add_option("DIRECTORY", directory_, "Where they are (default: as sartor-ld has it)");
}

Result<void> LdCheckCommand::run() const {
  const fs::path directory = directory_.empty() ? standard_directory() : fs::path(directory_);
  std::size_t sound = 0;
  std::size_t sealed = 0;
  std::size_t damaged = 0;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() != ".image")
      continue;
    const auto image = loader::WrittenImage::read(entry.path());
    const auto checked = image ? image->check() : std::unexpected(image.error());
    if (checked) {
      ++sound;
      sealed += is_sealed(entry.path()) ? 1 : 0;
      continue;
    }
    ++damaged;
    std::error_code kept;
    fs::remove(entry.path(), kept);
    std::cout << entry.path().string() << ": " << checked.error().message
              << (kept ? ", and cannot be deleted\n" : "; deleted\n");
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return std::unexpected(Failure{ErrorCode::file_error, directory.string(), error.message(),
                                   "see whether it may be read"});
  std::cout << sound << " sound, " << damaged << " damaged";
  if (sealed > 0)
    std::cout << "; " << sealed << " watched over by the file system (fs-verity)";
  std::cout << '\n';
  if (damaged > 0)
    return std::unexpected(Failure{ErrorCode::bad_plan, directory.string(),
                                   "images in it were damaged",
                                   "see whether the disk is in order; programs are planned anew"});
  return {};
}

} // namespace sartor::cli
