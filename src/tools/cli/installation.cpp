// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/installation.h"

#include <system_error>

namespace sartor::cli {

namespace fs = std::filesystem;

Result<Installation> Installation::of_this_command() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, "/proc/self/exe",
                                   "cannot be read: " + error.message(),
                                   "see whether /proc is mounted"});
  Installation here;
  here.programs = command.parent_path();
  here.prefix = here.programs.parent_path();
  here.libraries = here.prefix / SARTOR_LIBRARY_DIRECTORY;
  here.plugin = here.libraries / "sartor" / "SartorPlugin.so";
  // The build directory.
  if (const fs::path built = here.prefix / "lib";
      !fs::exists(here.plugin, error) && fs::exists(built / "SartorPlugin.so", error)) {
    here.libraries = built;
    here.plugin = built / "SartorPlugin.so";
  }
  here.headers = here.prefix / "include";
  here.crates = here.prefix / "share" / "sartor" / "rust";
  here.page = here.prefix / "share" / "sartor" / "page.html";
  return here;
}

} // namespace sartor::cli
