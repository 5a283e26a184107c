// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/confine.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <set>

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/loaded_object.h"

namespace sartor::remote {

namespace {

// Constants of Landlock that the C library's headers may be too old for.
constexpr std::uint64_t kAbi1Files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t kRefer = 1ULL << 13;
constexpr std::uint64_t kTruncate = 1ULL << 14;
constexpr std::uint64_t kIoctlDevice = 1ULL << 15;
constexpr std::uint64_t kBindTcp = 1ULL << 0;
constexpr std::uint64_t kConnectTcp = 1ULL << 1;
constexpr std::uint64_t kScopeAbstractSocket = 1ULL << 0;
constexpr std::uint64_t kScopeSignal = 1ULL << 1;

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t net = 0;
  std::uint64_t scoped = 0;
};

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

int landlock_abi() {
  return static_cast<int>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

/// Returns all accesses that this kernel can restrict.
Ruleset everything(int abi) {
  Ruleset all;
  all.files = kAbi1Files | (abi >= 2 ? kRefer : 0) | (abi >= 3 ? kTruncate : 0) |
              (abi >= 5 ? kIoctlDevice : 0);
  all.net = abi >= 4 ? kBindTcp | kConnectTcp : 0;
  all.scoped = abi >= 6 ? kScopeAbstractSocket | kScopeSignal : 0;
  return all;
}

bool allow_reading(int rules, const std::string &path) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0)
    return false;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  rule.parent_fd = file;
  bool done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  if (!done) {
    rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE; // the path is not a directory
    done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  }
  close(file);
  return done;
}

/// Returns the directories that the loaded libraries came from: a plugin's libraries are there too.
std::set<std::string> library_directories() {
  std::set<std::string> directories;
  base::find_loaded_object([&](const dl_phdr_info &object) {
    const std::filesystem::path path(object.dlpi_name);
    if (path.is_absolute())
      directories.insert(path.parent_path());
    return false;
  });
  return directories;
}

bool restrict_by_landlock(const Confinement &how) {
  const int abi = landlock_abi();
  if (abi < 1)
    return how.may_be_weak;
  const Ruleset all = everything(abi);
  const auto rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0));
  if (rules < 0)
    return false;
  if (!how.may_read.empty()) {
    for (const std::string &path : library_directories())
      (void)allow_reading(rules, path);
    (void)allow_reading(rules, "/etc/ld.so.cache");
  }
  for (const std::string &path : how.may_read)
    (void)allow_reading(rules, path); // loading a missing plugin fails with an error
  const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return done;
}

constexpr std::initializer_list<int> kAllowed{SCMP_SYS(read),
                                              SCMP_SYS(write),
                                              SCMP_SYS(readv),
                                              SCMP_SYS(writev),
                                              SCMP_SYS(recvfrom),
                                              SCMP_SYS(recvmsg),
                                              SCMP_SYS(shutdown),
                                              SCMP_SYS(poll),
                                              SCMP_SYS(ppoll),
                                              SCMP_SYS(close),
                                              SCMP_SYS(fstat),
                                              SCMP_SYS(munmap),
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
                                              SCMP_SYS(getrandom)};

/// System calls that are needed to load a plugin.
constexpr std::initializer_list<int> kAllowedForPlugins{
    SCMP_SYS(pread64),  SCMP_SYS(newfstatat), SCMP_SYS(statx),      SCMP_SYS(stat),
    SCMP_SYS(lstat),    SCMP_SYS(lseek),      SCMP_SYS(access),     SCMP_SYS(faccessat),
    SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(faccessat2), SCMP_SYS(getcwd),
    SCMP_SYS(mmap),     SCMP_SYS(mprotect)};

/// Rules of a seccomp filter. A call that no rule allows fails with EPERM: LLVM makes many calls
/// that may fail.
class Filter {
public:
  Filter() : filter_(seccomp_init(SCMP_ACT_ERRNO(EPERM))), good_(filter_ != nullptr) {}
  ~Filter() { seccomp_release(filter_); }
  Filter(const Filter &) = delete;
  Filter &operator=(const Filter &) = delete;

  /// Allows the call if all of the conditions are met.
  void allow(int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    add(SCMP_ACT_ALLOW, call, conditions);
  }
  void is_missing(int call) { add(SCMP_ACT_ERRNO(ENOSYS), call, {}); }
  bool load() { return good_ && seccomp_load(filter_) == 0; }

private:
  void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions) {
    good_ = good_ &&
            seccomp_rule_add_array(filter_, action, call, static_cast<unsigned>(conditions.size()),
                                   conditions.begin()) == 0;
  }

  scmp_filter_ctx filter_;
  bool good_;
};

scmp_arg_cmp is(unsigned number, std::uint64_t value) { return {number, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp has_none_of(unsigned number, std::uint64_t bits) {
  return {number, SCMP_CMP_MASKED_EQ, bits, 0};
}
scmp_arg_cmp has_all_of(unsigned number, std::uint64_t bits) {
  return {number, SCMP_CMP_MASKED_EQ, bits, bits};
}

void allow_by_argument(Filter &filter) {
  // Makes the C library start threads by clone(), whose flags can be checked.
  filter.is_missing(SCMP_SYS(clone3));
  filter.allow(SCMP_SYS(clone), {has_all_of(0, CLONE_THREAD)});
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC})
    filter.allow(SCMP_SYS(fcntl), {is(1, static_cast<std::uint64_t>(command))});
  filter.allow(SCMP_SYS(fcntl), {is(1, F_SETFL), has_none_of(2, O_ASYNC)});
  for (const int what : {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA})
    filter.allow(SCMP_SYS(prctl), {is(0, static_cast<std::uint64_t>(what))});
  filter.allow(SCMP_SYS(sendto), {is(4, 0)}); // only to the connected peer
  // It may read its own limits, and end itself.
  filter.allow(SCMP_SYS(prlimit64), {is(0, 0), is(2, 0)});
  filter.allow(SCMP_SYS(tgkill), {is(0, static_cast<std::uint64_t>(getpid()))});
}

bool filter_calls(bool loads_plugins, bool runs_code) {
  Filter filter;
  for (const int call : kAllowed)
    filter.allow(call);
  allow_by_argument(filter);
  if (loads_plugins) {
    for (const int call : kAllowedForPlugins)
      filter.allow(call);
    constexpr int kWrites = O_ACCMODE | O_CREAT | O_TRUNC;
    filter.allow(SCMP_SYS(openat), {has_none_of(2, kWrites)});
    filter.allow(SCMP_SYS(open), {has_none_of(1, kWrites)});
  } else if (runs_code) {
    filter.allow(SCMP_SYS(mmap));
    filter.allow(SCMP_SYS(mprotect));
  } else {
    filter.allow(SCMP_SYS(mmap), {has_none_of(2, PROT_EXEC)});
    filter.allow(SCMP_SYS(mprotect), {has_none_of(2, PROT_EXEC)});
  }
  return filter.load();
}

/// Forbids to write files and to lock memory.
bool limit_resources() {
  bool good = true;
  for (const auto resource : {RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE}) {
    const rlimit none{0, 0};
    good = good && setrlimit(resource, &none) == 0;
  }
  return good;
}

// Output would reach the log of a server, or a program's output.
bool close_standard_streams() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool good = nothing >= 0;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    good = good && dup2(nothing, stream) >= 0;
  if (nothing > STDERR_FILENO)
    close(nothing);
  return good;
}

} // namespace

bool has_landlock() { return landlock_abi() >= 1; }

bool confine(const Confinement &how) {
  return close_standard_streams() && limit_resources() &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && restrict_by_landlock(how) &&
         filter_calls(!how.may_read.empty(), how.may_run_code);
}

} // namespace sartor::remote
