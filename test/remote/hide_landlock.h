// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_REMOTE_HIDE_LANDLOCK_H
#define SARTOR_TEST_REMOTE_HIDE_LANDLOCK_H

#include <cerrno>
#include <cstdint>

#include <seccomp.h>
#include <sys/syscall.h>

/// Makes Landlock unavailable to this process and its children, as on a kernel without it.
inline bool hide_landlock() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  const bool done =
      filter &&
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SYS_landlock_create_ruleset, 0) == 0 &&
      seccomp_load(filter) == 0;
  seccomp_release(filter);
  return done;
}

#endif
