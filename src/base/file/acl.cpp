// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/acl.h"

#include <array>
#include <cstdint>
#include <cstring>

#include <sys/xattr.h>

namespace sartor::base {

namespace {

// Values of linux/posix_acl_xattr.h; all fields are little-endian.
constexpr std::uint32_t kVersion = 2;
constexpr mode_t kAllRights = 07;
enum Tag : std::uint16_t {
  user_entry = 0x02,
  group_object = 0x04,
  group_entry = 0x08,
  mask = 0x10
};
struct Entry {
  std::uint16_t tag;
  std::uint16_t rights;
  std::uint32_t id;
};
static_assert(sizeof(Entry) == 8);

constexpr std::size_t kMostAclBytes = 4096;

} // namespace

std::optional<mode_t> group_bits(std::span<const std::byte> acl, uid_t user) {
  std::uint32_t version = 0;
  if (acl.size() < sizeof version || (acl.size() - sizeof version) % sizeof(Entry) != 0)
    return std::nullopt;
  std::memcpy(&version, acl.data(), sizeof version);
  if (version != kVersion)
    return std::nullopt;
  mode_t rights = 0;
  mode_t allowed = kAllRights;
  for (acl = acl.subspan(sizeof version); !acl.empty(); acl = acl.subspan(sizeof(Entry))) {
    Entry entry{};
    std::memcpy(&entry, acl.data(), sizeof entry);
    if (entry.tag == mask)
      allowed = entry.rights;
    const bool is_others = entry.tag == user_entry && entry.id != user && entry.id != 0;
    if (is_others || entry.tag == group_object || entry.tag == group_entry)
      rights |= entry.rights;
  }
  return (rights & allowed & kAllRights) << 3;
}

mode_t mode_for_others(int file, const struct stat &status, uid_t user) {
  std::array<std::byte, kMostAclBytes> bytes;
  const ssize_t size = fgetxattr(file, "system.posix_acl_access", bytes.data(), bytes.size());
  if (size < 0)
    return status.st_mode;
  const auto group = group_bits(std::span(bytes).first(static_cast<std::size_t>(size)), user);
  return group ? (status.st_mode & ~S_IRWXG) | *group : status.st_mode;
}

} // namespace sartor::base
