// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before main(), restricts userfaultfd as a sandbox does. SARTOR_TEST_USERFAULTFD=none: the kernel
// refuses it; `user`: the kernel refuses a descriptor that also reports faults in system calls.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace {

constexpr unsigned argument(int number) {
  return static_cast<unsigned>(offsetof(seccomp_data, args)) + 8U * static_cast<unsigned>(number);
}

[[gnu::constructor]] void refuse() {
  const char *allowed = std::getenv("SARTOR_TEST_USERFAULTFD");
  if (!allowed)
    return;
  const unsigned flags = std::strcmp(allowed, "user") == 0 ? UFFD_USER_MODE_ONLY : ~0U;
  std::array<sock_filter, 11> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(0)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, flags),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, flags, 5, 4),
      BPF_STMT(BPF_MISC | BPF_TAX, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(1)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, USERFAULTFD_IOC_NEW, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program = {filter.size(), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("seccomp");
    std::abort();
  }
}

} // namespace
