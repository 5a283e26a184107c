// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/confine.h"

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sartor::remote {

namespace {

constexpr std::initializer_list<const char *> kLibraries{"/lib", "/lib64", "/usr/lib",
                                                         "/etc/ld.so.cache", "/proc/self"};

void allow_reading(int rules, const char *path) {
  const int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0)
    return;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  rule.parent_fd = file;
  if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE; // it is no directory
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close(file);
}

// Where the kernel knows none, seccomp still lets nothing be written.
bool restrict_files(const std::vector<std::string> &may_read) {
  landlock_ruleset_attr all{};
  all.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  const auto rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0));
  if (rules < 0)
    return errno == ENOSYS || errno == EOPNOTSUPP;
  for (const char *path : kLibraries)
    allow_reading(rules, path);
  for (const std::string &path : may_read)
    allow_reading(rules, path.c_str());
  const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return done;
}

constexpr std::initializer_list<int> kAllowed{SCMP_SYS(read),
                                              SCMP_SYS(write),
                                              SCMP_SYS(readv),
                                              SCMP_SYS(writev),
                                              SCMP_SYS(pread64),
                                              SCMP_SYS(recvfrom),
                                              SCMP_SYS(recvmsg),
                                              SCMP_SYS(sendto),
                                              SCMP_SYS(sendmsg),
                                              SCMP_SYS(shutdown),
                                              SCMP_SYS(poll),
                                              SCMP_SYS(ppoll),
                                              SCMP_SYS(close),
                                              SCMP_SYS(fcntl),
                                              SCMP_SYS(fstat),
                                              SCMP_SYS(newfstatat),
                                              SCMP_SYS(statx),
                                              SCMP_SYS(stat),
                                              SCMP_SYS(lstat),
                                              SCMP_SYS(lseek),
                                              SCMP_SYS(access),
                                              SCMP_SYS(faccessat),
                                              SCMP_SYS(faccessat2),
                                              SCMP_SYS(readlink),
                                              SCMP_SYS(readlinkat),
                                              SCMP_SYS(getcwd),
                                              SCMP_SYS(getdents64),
                                              SCMP_SYS(mmap),
                                              SCMP_SYS(munmap),
                                              SCMP_SYS(mprotect),
                                              SCMP_SYS(mremap),
                                              SCMP_SYS(madvise),
                                              SCMP_SYS(brk),
                                              SCMP_SYS(futex),
                                              SCMP_SYS(set_robust_list),
                                              SCMP_SYS(rseq),
                                              SCMP_SYS(membarrier),
                                              SCMP_SYS(sched_yield),
                                              SCMP_SYS(sched_getaffinity),
                                              SCMP_SYS(sched_getparam),
                                              SCMP_SYS(sched_getscheduler),
                                              SCMP_SYS(rt_sigaction),
                                              SCMP_SYS(rt_sigprocmask),
                                              SCMP_SYS(rt_sigreturn),
                                              SCMP_SYS(sigaltstack),
                                              SCMP_SYS(restart_syscall),
                                              SCMP_SYS(exit),
                                              SCMP_SYS(exit_group),
                                              SCMP_SYS(getpid),
                                              SCMP_SYS(gettid),
                                              SCMP_SYS(getuid),
                                              SCMP_SYS(geteuid),
                                              SCMP_SYS(getgid),
                                              SCMP_SYS(getegid),
                                              SCMP_SYS(uname),
                                              SCMP_SYS(sysinfo),
                                              SCMP_SYS(getrusage),
                                              SCMP_SYS(times),
                                              SCMP_SYS(clock_gettime),
                                              SCMP_SYS(clock_getres),
                                              SCMP_SYS(clock_nanosleep),
                                              SCMP_SYS(nanosleep),
                                              SCMP_SYS(gettimeofday),
                                              SCMP_SYS(time),
                                              SCMP_SYS(getrandom),
                                              SCMP_SYS(prctl)};

scmp_arg_cmp argument(unsigned number, scmp_compare how, scmp_datum_t a, scmp_datum_t b = 0) {
  return {number, how, a, b};
}

// What is not allowed fails with EPERM: LLVM asks for much that it can do without.
bool filter_calls() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter)
    return false;
  bool good = true;
  const auto allow = [&](int call, auto... conditions) {
    good = good && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, sizeof...(conditions),
                                    conditions...) == 0;
  };
  for (const int call : kAllowed)
    allow(call);
  // The C library starts threads the older way, whose flags can be looked at.
  good = good && seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
  allow(SCMP_SYS(clone), argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  constexpr int kWrites = O_ACCMODE | O_CREAT | O_TRUNC;
  allow(SCMP_SYS(openat), argument(2, SCMP_CMP_MASKED_EQ, kWrites, O_RDONLY));
  allow(SCMP_SYS(open), argument(1, SCMP_CMP_MASKED_EQ, kWrites, O_RDONLY));
  // Its own limits may be read, and it may end itself.
  allow(SCMP_SYS(prlimit64), argument(0, SCMP_CMP_EQ, 0), argument(2, SCMP_CMP_EQ, 0));
  allow(SCMP_SYS(tgkill), argument(0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
  good = good && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return good;
}

} // namespace

bool confine(const std::vector<std::string> &may_read) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && restrict_files(may_read) && filter_calls();
}

} // namespace sartor::remote
