// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_library.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <dlfcn.h>
#include <sys/stat.h>

#include "base/trust.h"
#include "loader/lib/settings/pass_name.h"

namespace sartor::loader {

namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> failure(std::string subject, std::string what, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_pass, std::move(subject), std::move(what), std::move(remedy)});
}

/// Checks that only root and this user can change the file.
Result<void> check_rights(const fs::path &path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return failure(path, std::strerror(errno), "see whether it may be read");
  if (auto objection = base::distrust(path, status, S_IWGRP | S_IWOTH))
    return failure(path, std::move(objection->what), std::move(objection->remedy));
  return {};
}

Result<fs::path> find(const std::string &name, std::span<const fs::path> directories) {
  std::string looked_in;
  for (const fs::path &directory : directories) {
    std::error_code error;
    fs::path path = fs::canonical(directory / (name + ".so"), error);
    if (!error)
      return path;
    looked_in += (looked_in.empty() ? "" : ", ") + directory.string();
  }
  return failure(name, "there is no " + name + ".so in " + looked_in,
                 "install it, name its directory in `directories`, or leave the pass out");
}

Result<void> check(const sartor_pass &pass, const std::string &name, const fs::path &path) {
  if (pass.abi != SARTOR_PASS_ABI)
    return failure(path,
                   "is for version " + std::to_string(pass.abi) + " of the interface, not " +
                       std::to_string(SARTOR_PASS_ABI),
                   "compile it with this Sartor's sartor/loader/pass.h");
  if (!pass.name || pass.name != name)
    return failure(path, std::string("calls itself ") + (pass.name ? pass.name : "nothing"),
                   "give the pass and its file the same name");
  if (!pass.run)
    return failure(path, "has no function to run", "set `run` of its sartor_pass");
  return {};
}

} // namespace

void PassLibrary::Close::operator()(void *handle) const { dlclose(handle); }

Result<PassLibrary> PassLibrary::load(const std::string &name,
                                      std::span<const fs::path> directories) {
  if (!is_pass_name(name))
    return failure(name, "is no name of a pass", pass_name_remedy);
  auto path = find(name, directories);
  if (!path)
    return std::unexpected(std::move(path.error()));
  // Loading already runs code, so the owner of the file must be checked first.
  for (const fs::path &each : {path->parent_path(), *path})
    if (auto checked = check_rights(each); !checked)
      return std::unexpected(std::move(checked.error()));
  PassLibrary library;
  library.path_ = std::move(*path);
  library.handle_.reset(dlopen(library.path_.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library.handle_)
    return failure(library.path_, dlerror(), "see docs/loader/passes.md on how to build a pass");
  library.pass_ = static_cast<const sartor_pass *>(dlsym(library.handle_.get(), "sartor_pass"));
  if (!library.pass_)
    return failure(library.path_, "has no symbol sartor_pass",
                   "define it with C linkage, see docs/loader/passes.md");
  if (auto checked = check(*library.pass_, name, library.path_); !checked)
    return std::unexpected(std::move(checked.error()));
  return library;
}

} // namespace sartor::loader
