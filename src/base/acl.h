// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_ACL_H
#define SARTOR_BASE_ACL_H

#include <cstddef>
#include <optional>
#include <span>

#include <sys/stat.h>

namespace sartor::base {

/// The mode of an open file as far as it concerns others than `user` and root. Where a file has a
/// POSIX ACL, the group bits of its mode are the ACL's mask: systemd gives a service its
/// credentials by an entry for its user, which stat() shows as 0440.
mode_t mode_for_others(int file, const struct stat &status, uid_t user);

/// The group bits that an ACL means for others than `user` and root: the extended attribute
/// system.posix_acl_access, as Linux has it. Empty if it is malformed.
std::optional<mode_t> group_bits(std::span<const std::byte> acl, uid_t user);

} // namespace sartor::base

#endif
