// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/content_key.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>

#include <sys/stat.h>

#include <llvm-c/Core.h>
#include <llvm/IR/Module.h>

#include "base/thread/mutex.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/host.h"
#include "core/cache/build_id.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Raised when Sartor generates different code from the same IR, or when the format of files
// changes.
constexpr std::string_view kFormat = "3";

// Returns the build ids of the files that contain `codes`; empty if any is unknown. Versions do not
// distinguish two builds, nor do sizes and times of files: reproducible builds have equal ones, and
// the files of a long-running process may have been replaced by those of another build.
std::string builds_of(std::initializer_list<const void *> codes) {
  std::string builds;
  for (const void *code : codes) {
    const auto build = core::build_id_at(code);
    if (!build)
      return {};
    builds += (builds.empty() ? "" : " ") + *build;
  }
  return builds;
}

std::string hash_of_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return base::to_text(base::hash_of({std::string(std::istreambuf_iterator<char>(file), {})}));
}

// A loaded plugin is identified by its build id, any other by its content, which is read again when
// the file changes.
std::string identity_of_plugin(const std::filesystem::path &path) {
  if (auto loaded = core::build_id_of(path.native()))
    return *loaded;
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return "?";
  using File = std::tuple<std::string, ino_t, off_t, time_t, long>;
  static auto &mutex = *new base::Mutex;                // can be locked while the process exits
  static auto *known = new std::map<File, std::string>; // can be used while the process exits
  const std::lock_guard lock(mutex);
  std::string &hash = (*known)[{path.native(), status.st_ino, status.st_size, status.st_ctim.tv_sec,
                                status.st_ctim.tv_nsec}];
  if (hash.empty())
    hash = hash_of_file(path);
  return hash;
}

std::string version_of_llvm() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

} // namespace

core::Toolchain this_toolchain() {
  // The mathematics library counts because it computes calls with known arguments.
  static const auto &builds = *new std::string( // used by compiles at exit
      builds_of({reinterpret_cast<const void *>(&this_toolchain),
                 reinterpret_cast<const void *>(&base::hash_of), // libsartor
                 reinterpret_cast<const void *>(&LLVMGetVersion),
                 reinterpret_cast<const void *>(static_cast<double (*)(double)>(&sin))}));
  const Host &host = compiler::host();
  return {SARTOR_VERSION, version_of_llvm(), builds, host.triple.str(), host.cpu, host.features};
}

base::ContentKey content_key(const Module &module, core::Tier tier, const Pipeline &pipeline,
                             const core::Toolchain &toolchain) {
  std::string plugins;
  for (const auto &plugin : pipeline.plugins)
    plugins += plugin.string() + " " + identity_of_plugin(plugin) + "\n";
  return base::hash_of({kFormat, toolchain.sartor, toolchain.llvm, toolchain.build,
                        toolchain.triple, toolchain.cpu, toolchain.features,
                        tier == core::Tier::quick ? "quick" : "full", pipeline.passes, plugins,
                        bitcode_of(module)});
}

} // namespace sartor::compiler
