// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include "engine/life.h"
#include "jit/build_stamp.h"
#include "jit/compiler.h"
#include "jit/compiler_library.h"
#include "rights/environment.h"

namespace sartor::jit {

namespace {

namespace fs = std::filesystem;

/// Whoever has moved libsartor has moved its compiler along, or leaves it to the ordinary search.
std::string path_of_compiler() {
  if (auto named = rights::read_environment().compiler; named && !named->empty())
    return std::move(*named);
  Dl_info here;
  if (dladdr(reinterpret_cast<const void *>(&find_compiler), &here) != 0 && here.dli_fname) {
    const fs::path beside = fs::path(here.dli_fname).parent_path() / kCompilerLibrary;
    std::error_code error;
    if (fs::exists(beside, error))
      return beside.string();
  }
  return kCompilerLibrary;
}

std::unexpected<Failure> refused(const std::string &path, std::string why) {
  return std::unexpected(
      Failure{ErrorCode::no_compiler, path, std::move(why),
              "the generic code goes on; install the one of this build of Sartor beside "
              "libsartor.so, or set SARTOR_COMPILER to its path"});
}

Result<Compiler *> load() {
  const std::string path = path_of_compiler();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return refused(path, std::string("cannot be loaded: ") + (why ? why : "nobody says why"));
  }
  const auto *shown = static_cast<const CompilerLibrary *>(dlsym(library, kCompilerSymbol));
  if (!shown)
    return refused(path, "is no compiler of Sartor's, or of another version");
  if (std::string_view(shown->build_stamp) != kBuildStamp)
    return refused(path, std::string("is of another build: ") + shown->build_stamp + ", not " +
                             kBuildStamp);
  engine::watch_exit(); // LLVM's objects are made, and go after what watches
  return &shown->compiler();
}

} // namespace

// Without a lock: whoever is in a library's constructor has the dynamic linker's, and whoever loads
// twice gets the same.
Result<Compiler *> find_compiler() {
  static std::atomic<Compiler *> loaded = nullptr;
  if (Compiler *known = loaded)
    return known;
  auto found = load();
  if (found)
    loaded = *found;
  return found;
}

} // namespace sartor::jit
