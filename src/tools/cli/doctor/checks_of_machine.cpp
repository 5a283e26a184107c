// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/doctor/check.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/readers.h"
#include "runtime/assumptions/pages/fault_descriptor.h"
#include "runtime/codemem/area.h"
#include "tools/cli/quarantine/quarantine_command.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using State = Check::State;

// LLVM's libraries take 210 MiB of addresses.
constexpr std::uint64_t kAddresses = 256 * kMebibyte;

/// Writes a function that returns to an area, and calls it.
bool executes(const runtime::Area &area) {
  constexpr std::byte kReturn{0xc3};
  if (area.is_private()) {
    if (!area.write(0, &kReturn, 1))
      return false;
  } else {
    area.writable()[0] = kReturn;
    if (!area.is_mapped_twice() && !area.seal())
      return false;
  }
  reinterpret_cast<void (*)()>(area.code())();
  return true;
}

Check check_code_memory() {
  constexpr const char *kSubject = "code memory";
  constexpr std::size_t kPage = 4096;
  const void *anchor = reinterpret_cast<const void *>(&checks_of_machine);
  if (const auto area = runtime::Area::map_private(anchor, kPage); area.code() && executes(area))
    return {State::ok, kSubject, "private, and never writable (W^X)"};
  if (const auto twice = runtime::Area::map_twice(anchor, kPage); twice.code() && executes(twice))
    return {State::ok, kSubject,
            "written in one view, executed in another (W^X); debuggers set no breakpoints there"};
  if (const auto once = runtime::Area::map_once(anchor, kPage); once.code() && executes(once))
    return {State::note, kSubject,
            "cannot be mapped twice: each variant is sealed, and takes whole pages",
            "allow mremap() of shared memory in the sandbox"};
  return {State::error, kSubject, "this process may not make new code executable",
          "allow it: SELinux `execmem`, systemd MemoryDenyWriteExecute=no, no PR_SET_MDWE"};
}

Check check_page_protection() {
  constexpr const char *kSubject = "page protection";
  const auto [file, sees_kernel] = runtime::open_fault_file(O_CLOEXEC);
  uffdio_api api = {.api = UFFD_API, .features = 0, .ioctls = 0};
  const bool protects = file >= 0 && ioctl(file, UFFDIO_API, &api) == 0 &&
                        (api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP) != 0;
  if (file >= 0)
    close(file);
  if (!protects)
    return {State::note, kSubject,
            "without userfaultfd: quasi-invariants on pages use mprotect(), and system calls that "
            "write to such a page fail",
            "allow userfaultfd() in the sandbox, or use write guards"};
  if (sees_kernel)
    return {State::ok, kSubject, "userfaultfd, also for writes by system calls"};
  return {State::note, kSubject, "userfaultfd, without writes by system calls",
          "sysctl vm.unprivileged_userfaultfd=1, or give access to /dev/userfaultfd"};
}

Check check_fences() {
  if (base::has_membarrier())
    return {State::ok, "membarrier", "calls of handlers need no fence"};
  return {State::warning, "membarrier", "is not allowed: each call of a handler executes a fence",
          "allow membarrier() in the sandbox"};
}

Check check_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {State::ok, "address space", "not limited"};
  const std::string found = std::to_string(limit.rlim_cur / kMebibyte) + " MiB";
  if (limit.rlim_cur >= 2 * kAddresses)
    return {State::ok, "address space", found};
  return {State::warning, "address space", found + "; LLVM alone takes 256 MiB of addresses",
          "ulimit -v unlimited, or compile elsewhere (SARTOR_COMPILER)"};
}

Check check_perf() {
  int level = std::numeric_limits<int>::min();
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
  if (level == std::numeric_limits<int>::min())
    return {State::note, "perf", "this kernel has no performance events"};
  const std::string found = "kernel.perf_event_paranoid=" + std::to_string(level);
  if (level <= 2 || geteuid() == 0)
    return {State::ok, "perf", found + "; SARTOR_PERF=map names variants"};
  return {State::note, "perf", found + ": users may not profile their own programs",
          "sysctl kernel.perf_event_paranoid=2"};
}

bool has_capability(unsigned number) {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  return syscall(SYS_capget, &header, data) == 0 &&
         ((data[number / 32].effective >> (number % 32)) & 1U) != 0;
}

Check check_kernel_handlers() {
  constexpr const char *kSubject = "kernel handlers";
  std::error_code error;
  if (!fs::exists("/sys/kernel/btf/vmlinux", error))
    return {State::note, kSubject, "this kernel has no type information (BTF)",
            "use a kernel with CONFIG_DEBUG_INFO_BTF for BPF handlers"};
  if (!has_capability(CAP_BPF) && !has_capability(CAP_SYS_ADMIN))
    return {State::note, kSubject, "this process may not load BPF programs",
            "give it CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON for BPF handlers"};
  return {State::ok, kSubject, "BPF programs can be loaded"};
}

Check check_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  const std::string found = std::to_string(count) + (count == 1 ? " processor" : " processors");
  if (count != 1)
    return {State::ok, "processors", found};
  return {State::note, "processors", found + ": compiling takes time from the program",
          "compile on a server (SARTOR_COMPILER), or ahead of time (sartor compile)"};
}

Check check_quarantine() {
  constexpr const char *kSubject = "quarantine";
  const auto entries = quarantined_for_user();
  if (!entries)
    return Check::of(State::warning, kSubject, entries.error());
  if (entries->empty())
    return {State::ok, kSubject, "no variant has differed from the native code, or crashed"};
  return {
      State::warning, kSubject,
      std::to_string(entries->size()) +
          (entries->size() == 1 ? " request is not specialized" : " requests are not specialized") +
          ": variants differed from the native code, or crashed",
      "sartor quarantine list"};
}

} // namespace

Checks checks_of_machine() {
  Checks checks{check_code_memory(),     check_page_protection(), check_fences(),
                check_addresses(),       check_affinity(),        check_perf(),
                check_kernel_handlers(), check_quarantine()};
  std::string line;
  for (std::ifstream file("/proc/self/cgroup"); std::getline(file, line);)
    if (const std::string prefix = "0::/"; line.starts_with(prefix)) {
      const fs::path root = "/sys/fs/cgroup";
      const Checks more =
          checks_of_cgroup(line == prefix ? root : root / line.substr(prefix.size()), root);
      checks.insert(checks.end(), more.begin(), more.end());
    }
  return checks;
}

} // namespace sartor::cli
