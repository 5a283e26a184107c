// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/content_key.h"

#include <cmath>

#include <dlfcn.h>
#include <sys/stat.h>

#include <llvm-c/Core.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/raw_ostream.h>

#include "point/host.h"

namespace sartor::jit {

using namespace llvm;

namespace {

// To be raised when Sartor generates other code from the same IR, or files look different.
constexpr std::string_view kFormat = "1";

std::string identity_of_file(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0)
    return "?";
  return std::to_string(status.st_size) + "@" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

// Versions alone do not tell a build from the next one.
std::string identity_of_code(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname ? identity_of_file(info.dli_fname) : "?";
}

std::string version_of_llvm() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

void add(BLAKE3 &hasher, std::string_view part) {
  const std::uint64_t size = part.size();
  hasher.update(StringRef(reinterpret_cast<const char *>(&size), sizeof size));
  hasher.update(StringRef(part));
}

} // namespace

ContentKey hash_of(std::initializer_list<std::string_view> parts) {
  BLAKE3 hasher;
  for (const std::string_view part : parts)
    add(hasher, part);
  return hasher.final();
}

std::string to_text(const ContentKey &key) {
  std::string text;
  for (const std::uint8_t byte : key) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

const Toolchain &this_toolchain() {
  static const Toolchain found{
      SARTOR_VERSION,
      version_of_llvm(),
      identity_of_code(reinterpret_cast<const void *>(&this_toolchain)) + " " +
          identity_of_code(reinterpret_cast<const void *>(&LLVMGetVersion)) + " " +
          // by which calls with known arguments are computed
          identity_of_code(reinterpret_cast<const void *>(static_cast<double (*)(double)>(&sin))),
      point::host().triple.str(),
      point::host().cpu,
      point::host().features};
  return found;
}

ContentKey content_key(const Module &module, Tier tier, const Pipeline &pipeline,
                       const Toolchain &toolchain) {
  SmallString<0> bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  std::string plugins;
  for (const auto &plugin : pipeline.plugins)
    plugins += plugin.string() + " " + identity_of_file(plugin.c_str()) + "\n";
  return hash_of({kFormat, toolchain.sartor, toolchain.llvm, toolchain.build, toolchain.triple,
                  toolchain.cpu, toolchain.features, tier == Tier::quick ? "quick" : "full",
                  pipeline.passes, plugins, StringRef(bitcode)});
}

} // namespace sartor::jit
