// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/own_library.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include "base/build_stamp.h"

namespace sartor::base {

namespace fs = std::filesystem;

// If libsartor was moved, its other files were moved with it, or the ordinary search must find
// them.
std::string path_beside_library(const char *file) {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void *>(&load_own_library), &here) != 0 && here.dli_fname) {
    const fs::path beside = fs::path(here.dli_fname).parent_path() / file;
    std::error_code error;
    if (fs::exists(beside, error))
      return beside.string();
  }
  return file;
}

Result<const OwnLibrary *> load_own_library(const char *file, const char *symbol,
                                            std::optional<std::string> named, ErrorCode code,
                                            const char *remedy) {
  const std::string path = named && !named->empty() ? std::move(*named) : path_beside_library(file);
  const auto refused = [&](std::string why) {
    return std::unexpected(Failure{code, path, std::move(why), remedy});
  };
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return refused(std::string("cannot be loaded: ") + (why ? why : "the loader gives no reason"));
  }
  const auto *shown = static_cast<const OwnLibrary *>(dlsym(library, symbol));
  if (!shown)
    return refused("is none of Sartor's, or of another version");
  if (std::string_view(shown->build_stamp) != kBuildStamp)
    return refused(std::string("is of another build: ") + shown->build_stamp + ", not " +
                   kBuildStamp);
  return shown;
}

} // namespace sartor::base
