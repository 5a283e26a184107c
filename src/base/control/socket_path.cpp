// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/control/socket_path.h"

#include <cstdlib>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace sartor::base {

std::vector<std::filesystem::path> control_directories() {
  const std::string user = std::to_string(geteuid());
  std::vector<std::filesystem::path> directories;
  if (const char *runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime == '/')
    directories.push_back(std::filesystem::path(runtime) / "sartor");
  if (const auto usual = std::filesystem::path("/run/user") / user / "sartor";
      directories.empty() || directories.front() != usual)
    directories.push_back(usual);
  directories.push_back("/tmp/sartor-" + user);
  return directories;
}

bool is_private_directory(const std::filesystem::path &directory) {
  struct stat status;
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

Result<std::filesystem::path> make_control_directory() {
  const auto directories = control_directories();
  for (const auto &directory : directories) {
    (void)mkdir(directory.c_str(), S_IRWXU); // may exist
    if (is_private_directory(directory))
      return directory;
  }
  return std::unexpected(
      Failure{ErrorCode::file_error, directories.back().string(),
              "cannot be created, or is not a directory of this user's alone",
              "remove it, or set XDG_RUNTIME_DIR to a directory that only you can access"});
}

std::filesystem::path control_socket_name(pid_t process) {
  return std::to_string(process) + ".sock";
}

} // namespace sartor::base
