// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/system_call_name.h"

#include <algorithm>
#include <array>

#include <sys/syscall.h>

namespace sartor::runtime {

namespace {

struct Named {
  std::int64_t number;
  const char *name;
};

#define NAMED(call) {SYS_##call, #call}
constexpr std::array kNamed = std::to_array<Named>({
    NAMED(read),
    NAMED(write),
    NAMED(open),
    NAMED(close),
    NAMED(stat),
    NAMED(fstat),
    NAMED(lseek),
    NAMED(mmap),
    NAMED(mprotect),
    NAMED(munmap),
    NAMED(brk),
    NAMED(mremap),
    NAMED(madvise),
    NAMED(rt_sigaction),
    NAMED(rt_sigprocmask),
    NAMED(ioctl),
    NAMED(pread64),
    NAMED(pwrite64),
    NAMED(readv),
    NAMED(writev),
    NAMED(poll),
    NAMED(select),
    NAMED(sched_yield),
    NAMED(pipe2),
    NAMED(dup),
    NAMED(dup2),
    NAMED(nanosleep),
    NAMED(clock_nanosleep),
    NAMED(clock_gettime),
    NAMED(gettimeofday),
    NAMED(time),
    NAMED(getpid),
    NAMED(gettid),
    NAMED(getppid),
    NAMED(getuid),
    NAMED(getrandom),
    NAMED(getrusage),
    NAMED(sendto),
    NAMED(recvfrom),
    NAMED(sendmsg),
    NAMED(recvmsg),
    NAMED(socket),
    NAMED(connect),
    NAMED(accept4),
    NAMED(shutdown),
    NAMED(bind),
    NAMED(listen),
    NAMED(clone),
    NAMED(clone3),
    NAMED(fork),
    NAMED(vfork),
    NAMED(execve),
    NAMED(exit),
    NAMED(exit_group),
    NAMED(wait4),
    NAMED(kill),
    NAMED(tgkill),
    NAMED(fcntl),
    NAMED(fsync),
    NAMED(fdatasync),
    NAMED(ftruncate),
    NAMED(rename),
    NAMED(mkdir),
    NAMED(unlink),
    NAMED(openat),
    NAMED(newfstatat),
    NAMED(futex),
    NAMED(epoll_wait),
    NAMED(epoll_pwait),
    NAMED(epoll_ctl),
    NAMED(eventfd2),
    NAMED(sched_getaffinity),
    NAMED(getcpu),
    NAMED(sysinfo),
    NAMED(uname),
    NAMED(membarrier),
});
#undef NAMED

} // namespace

std::string system_call_name(std::int64_t number) {
  const auto *found = std::ranges::find(kNamed, number, &Named::number);
  return found != kNamed.end() ? found->name : "number " + std::to_string(number);
}

bool is_call_of_allocator(std::int64_t number) {
  constexpr std::array<std::int64_t, 10> kCalls = {
      SYS_brk,   SYS_mmap,        SYS_munmap,   SYS_mremap,    SYS_madvise,
      SYS_futex, SYS_sched_yield, SYS_mprotect, SYS_getrandom, SYS_sched_getaffinity};
  return std::ranges::find(kCalls, number) != kCalls.end();
}

} // namespace sartor::runtime
