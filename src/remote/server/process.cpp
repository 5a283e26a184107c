// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/process.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sartor::server {

namespace {

/// Blocks of this size or larger are mapped, and unmapped when they are freed.
constexpr int kMapped = 128 << 10;
/// Threads share few heaps, so that one can use memory that another has freed.
constexpr int kHeaps = 2;
/// Trimming takes time, so it is done after this many bytes were freed.
constexpr std::size_t kMuch = 8U << 20;

} // namespace

void set_process_limits() {
  mallopt(M_MMAP_THRESHOLD, kMapped);
  mallopt(M_TRIM_THRESHOLD, kMapped);
  mallopt(M_ARENA_MAX, kHeaps);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
  }
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void release_freed_memory(std::size_t used) {
  static std::size_t most = 0;
  most = std::max(most, used);
  if (most - used < kMuch)
    return;
  most = used;
  malloc_trim(0);
}

void notify(std::string_view state) {
  const char *named = std::getenv("NOTIFY_SOCKET");
  const std::string path = named ? named : "";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof address.sun_path)
    return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@')
    address.sun_path[0] = '\0'; // an abstract name
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made < 0)
    return;
  (void)sendto(made, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr *>(&address), size);
  close(made);
}

} // namespace sartor::server
