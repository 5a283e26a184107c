// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FILE_ACL_H
#define SARTOR_BASE_FILE_ACL_H

#include <cstddef>
#include <optional>
#include <span>

#include <sys/stat.h>

namespace sartor::base {

/// Permissions of an open file for users other than `user` and root. If a file has a POSIX ACL, the
/// group bits of its mode are the ACL's mask: systemd gives a service its credentials by an entry
/// for its user, which stat() shows as 0440.
mode_t mode_for_others(int file, const struct stat &status, uid_t user);

/// The group bits that an ACL grants to users other than `user` and root; `acl` is the extended
/// attribute system.posix_acl_access in Linux's format. Empty if it is malformed.
std::optional<mode_t> group_bits(std::span<const std::byte> acl, uid_t user);

} // namespace sartor::base

#endif
