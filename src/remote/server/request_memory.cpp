// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/request_memory.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sartor::remote {

namespace {

void allow([[maybe_unused]] std::uint64_t bytes) {
#ifndef SARTOR_SANITIZED // whose shadow takes more
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  setrlimit(RLIMIT_AS, &limit);
#endif
}

} // namespace

RequestMemory::RequestMemory() : statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

// The first number is the address space in pages. If it cannot be read, nothing is limited.
std::uint64_t RequestMemory::used() const {
  std::array<char, 64> text{};
  std::uint64_t pages = 0;
  const ssize_t size = pread(statm_.get(), text.data(), text.size(), 0);
  if (size <= 0)
    return RLIM_INFINITY;
  std::from_chars(text.data(), text.data() + size, pages);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::unique_ptr<RequestMemory::Use> RequestMemory::begin(std::uint64_t bytes) {
  auto use = std::make_unique<Use>(*this); // before memory is limited
  const base::MutexLock lock(mutex_);
  const std::uint64_t before = running_++ == 0 ? used() : limit_;
  limit_ = bytes > RLIM_INFINITY - before ? RLIM_INFINITY : before + bytes;
  allow(limit_);
  return use;
}

void RequestMemory::end() {
  const base::MutexLock lock(mutex_);
  if (--running_ == 0)
    allow(RLIM_INFINITY);
}

} // namespace sartor::remote
