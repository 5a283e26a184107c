// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/pins.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <sys/vfs.h>

#include <bpf/bpf.h>
#include <linux/magic.h>

#include "base/trust.h"
#include "bpf/descriptor.h"
#include "bpf/errors.h"
#include "bpf/shared_maps.h"

namespace sartor::bpf {

namespace {

constexpr const char *kMaps = "maps";

std::unexpected<Failure> no_directory(const std::filesystem::path &directory) {
  return std::unexpected(Failure{
      ErrorCode::kernel_lacks, directory.string(), "is no directory of a bpffs, or cannot be made",
      "mount one: mount -t bpf bpf /sys/fs/bpf; and give a directory in it"});
}

std::filesystem::path pin_of(const std::filesystem::path &directory, const bpf_map &map) {
  std::string name(shared_name(map));
  for (char &letter : name) // bpffs reserves dots
    if (letter == '.')
      letter = '_';
  return directory / kMaps / name;
}

bool is_pinned_too(const bpf_map &map) {
  const std::string_view section = shared_name(map);
  return !is_constants(section) && !is_own(section);
}

bool is_as_large(const bpf_map_info &pinned, const bpf_map &map) {
  return pinned.type == bpf_map__type(&map) && pinned.key_size == bpf_map__key_size(&map) &&
         pinned.value_size == bpf_map__value_size(&map) &&
         (pinned.max_entries == bpf_map__max_entries(&map) || bpf_map__max_entries(&map) == 0);
}

/// Directories that were created, and are removed by the destructor unless they are kept.
class Made {
public:
  Made() = default;
  ~Made() {
    std::error_code ignored; // directories that are not empty stay
    for (auto each = directories_.rbegin(); each != directories_.rend(); ++each)
      std::filesystem::remove(*each, ignored);
  }
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;

  [[nodiscard]] bool make(const std::filesystem::path &directory) {
    std::error_code problem;
    if (std::filesystem::is_directory(directory, problem))
      return true;
    if (!directory.has_parent_path() || !make(directory.parent_path()) ||
        mkdir(directory.c_str(), 0755) != 0)
      return false;
    directories_.push_back(directory);
    return true;
  }
  void keep() { directories_.clear(); }

private:
  std::vector<std::filesystem::path> directories_;
};

} // namespace

Result<void> Pins::check() const {
  if (directory_.empty())
    return {};
  std::error_code problem;
  std::filesystem::path there =
      std::filesystem::absolute(directory_ / kMaps, problem).lexically_normal();
  bool is_in_bpffs = false;
  for (; there != there.root_path(); there = there.parent_path()) {
    struct stat status{};
    struct statfs where{};
    if (lstat(there.c_str(), &status) != 0) {
      if (errno == ENOENT)
        continue;
      return no_directory(directory_);
    }
    if (statfs(there.c_str(), &where) != 0 || where.f_type != BPF_FS_MAGIC)
      break;
    if (!S_ISDIR(status.st_mode))
      return no_directory(directory_);
    const bool is_sticky = (status.st_mode & S_ISVTX) != 0;
    if (auto why = base::distrust(there, status, is_sticky ? 0 : S_IWGRP | S_IWOTH))
      return std::unexpected(Failure{ErrorCode::file_error, there.string(), std::move(why->what),
                                     std::move(why->remedy)});
    is_in_bpffs = true;
  }
  return is_in_bpffs ? Result<void>() : no_directory(directory_);
}

Result<void> Pins::use_maps(bpf_object &object) const {
  if (directory_.empty())
    return {};
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    const auto pin = pin_of(directory_, *map);
    const Descriptor pinned(is_pinned_too(*map) ? bpf_obj_get(pin.c_str()) : -1);
    if (!pinned)
      continue;
    bpf_map_info reported{};
    std::uint32_t size = sizeof reported;
    if (bpf_obj_get_info_by_fd(pinned.number(), &reported, &size) != 0 ||
        !is_as_large(reported, *map))
      return std::unexpected(Failure{ErrorCode::bad_bpf_object, pin.string(),
                                     "is no map of the kind and the sizes that the object has",
                                     "remove the pins, or give another directory for them"});
    if (const int error = bpf_map__reuse_fd(map, pinned.number()); error != 0)
      return std::unexpected(from_kernel(pin.string(), -error, "the map cannot be used"));
  }
  return {};
}

Result<void> Pins::pin_maps(bpf_object &object) const {
  if (directory_.empty())
    return {};
  Made made;
  if (!made.make(directory_ / kMaps))
    return no_directory(directory_);
  if (auto checked = check(); !checked) // another user may have made it meanwhile
    return checked;
  std::vector<std::filesystem::path> pinned;
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    if (!is_pinned_too(*map))
      continue;
    const auto pin = pin_of(directory_, *map);
    if (bpf_obj_pin(bpf_map__fd(map), pin.c_str()) == 0) {
      pinned.push_back(pin);
    } else if (errno != EEXIST) {
      auto problem = from_kernel(pin.string(), errno, "the map cannot be pinned");
      std::error_code ignored;
      for (const auto &each : pinned)
        std::filesystem::remove(each, ignored);
      return std::unexpected(std::move(problem));
    }
  }
  made.keep();
  return {};
}

} // namespace sartor::bpf
