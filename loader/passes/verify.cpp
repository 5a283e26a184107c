// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify: lets a program start only if it and the libraries that it starts with are signed by one
// of the keys in a directory. It reads the files before any other pass does.
#include <cstddef>
#include <filesystem>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sartor/loader/pass.h>

#include "base/file/file_handle.h"
#include "loader/lib/signature/signature.h"

namespace {

using namespace sartor;
namespace fs = std::filesystem;

void refuse(sartor_prelink_image *image, const sartor_prelink_operations *operations,
            const Failure &failure) {
  operations->refuse(
      image, (failure.subject + ": " + failure.message + " (" + failure.remedy + ")").c_str());
}

Result<std::vector<base::PublicKey>> read_keys(sartor_prelink_image *image,
                                               const sartor_prelink_operations *operations,
                                               const fs::path &directory) {
  // The result changes when a key is added or removed.
  operations->depend_on(image, directory.c_str());
  const auto files = base::public_keys_in(directory);
  if (!files)
    return std::unexpected(files.error());
  std::vector<base::PublicKey> keys;
  for (const fs::path &file : *files) {
    operations->depend_on(image, file.c_str());
    const auto key = base::read_public_key(file);
    if (!key)
      return std::unexpected(key.error());
    keys.push_back(*key);
  }
  return keys;
}

Result<void> check(sartor_prelink_image *image, const sartor_prelink_operations *operations,
                   const char *path, const char *signatures,
                   const std::vector<base::PublicKey> &keys) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, path,
                                   "cannot be found: " + error.message(), "install it again"});
  std::vector<fs::path> places{loader::signature_beside(file)};
  if (signatures != nullptr)
    places.push_back(loader::signature_in(signatures, file));
  for (const fs::path &place : places)
    operations->depend_on(image, place.c_str());
  // The path may lead elsewhere, or the file change, while it is read.
  const base::FileHandle opened(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const fs::path content =
      opened.get() < 0 ? file : fs::path("/proc/self/fd/" + std::to_string(opened.get()));
  if (auto checked = loader::check_signature(file, content, places, keys); !checked)
    return checked;
  if (operations->is_planned(image, path, opened.get()) != 0)
    return std::unexpected(Failure{ErrorCode::file_error, path,
                                   "has been replaced while it was checked",
                                   "start the program again when its files no longer change"});
  return {};
}

/// Returns the files of the option, and the libraries in its directories.
std::vector<fs::path> plugins_in(sartor_prelink_image *image,
                                 const sartor_prelink_operations *operations,
                                 std::string_view list) {
  std::vector<fs::path> files;
  for (const auto part : std::views::split(list, ':')) {
    const fs::path path(std::string_view(part.begin(), part.end()));
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!path.empty())
        files.push_back(path);
      continue;
    }
    operations->depend_on(image, path.c_str()); // a file may be added or removed
    for (const auto &entry : fs::directory_iterator(path, error))
      if (entry.path().filename().string().contains(".so") && entry.is_regular_file(error))
        files.push_back(entry.path());
  }
  return files;
}

/// Admits libraries that may be loaded later and checks them now. Without the option, any library
/// may be loaded.
Result<void> admit_plugins(sartor_prelink_image *image, const sartor_prelink_operations *operations,
                           const char *signatures, const std::vector<base::PublicKey> &keys) {
  const char *list = operations->option(image, "plugins");
  if (list == nullptr)
    return {};
  operations->admit(image, nullptr);
  for (const fs::path &file : plugins_in(image, operations, list)) {
    if (operations->admit(image, file.c_str()) != 0)
      return std::unexpected(Failure{ErrorCode::bad_settings, file.string(), "is not absolute",
                                     "begin all paths of `plugins` with /"});
    if (auto checked = check(image, operations, file.c_str(), signatures, keys); !checked)
      return checked;
  }
  return {};
}

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  const char *directory = operations->option(image, "keys");
  const char *signatures = operations->option(image, "signatures");
  if (directory == nullptr || *directory != '/')
    return "its option `keys` must name the directory of public keys, from / on";
  if (signatures != nullptr && *signatures != '/')
    return "its option `signatures` must name the directory of signatures, from / on";
  const auto keys = read_keys(image, operations, directory);
  if (!keys) {
    refuse(image, operations, keys.error());
    return nullptr;
  }
  const std::size_t count = operations->libraries(image);
  for (std::size_t i = 0; i < count; ++i) {
    sartor_library library;
    operations->library(image, i, &library);
    if (const auto checked = check(image, operations, library.path, signatures, *keys); !checked) {
      refuse(image, operations, checked.error());
      return nullptr;
    }
  }
  if (const auto admitted = admit_plugins(image, operations, signatures, *keys); !admitted) {
    refuse(image, operations, admitted.error());
    return nullptr;
  }
  operations->report(image, (std::to_string(count) + " files are signed").c_str());
  return nullptr;
}

const char *const before[] = {"bind", "concat", "prune", "isolate", "handlers", "settle", nullptr};

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "verify",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = before,
                                            .run = run,
                                            .judges = 1};
