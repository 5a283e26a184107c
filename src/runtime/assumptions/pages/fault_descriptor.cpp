// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/fault_descriptor.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace sartor::runtime {

namespace {

constexpr int kFlags = O_CLOEXEC | O_NONBLOCK;
constexpr std::uint64_t kNeeded = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_THREAD_ID;
// Pages that have never been accessed can be protected (since Linux 6.4).
constexpr std::uint64_t kUnpopulated = 1U << 13U;
constexpr std::uint64_t kWanted =
    UFFD_FEATURE_EXACT_ADDRESS | UFFD_FEATURE_WP_HUGETLBFS_SHMEM | kUnpopulated;

int make_file() { return open_fault_file(kFlags).file; }

// Returns the features of the kernel; 0 if it has no userfaultfd.
std::uint64_t features_at_hand() {
  const int file = make_file();
  uffdio_api api = {.api = UFFD_API, .features = 0, .ioctls = 0};
  const bool reported = file >= 0 && ioctl(file, UFFDIO_API, &api) == 0;
  if (file >= 0)
    ::close(file);
  return reported ? api.features : 0;
}

void touch(std::uintptr_t page) {
  char byte = 0;
  const iovec local{&byte, 1};
  const iovec remote{reinterpret_cast<void *>(page), 1};
  (void)process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

[[gnu::tls_model("initial-exec")]] thread_local bool is_this_thread = false;

} // namespace

FaultFile open_fault_file(int flags) {
  int file = static_cast<int>(syscall(SYS_userfaultfd, flags));
  if (file >= 0)
    return {file, true};
  if (const int device = ::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC); device >= 0) {
    file = ioctl(device, USERFAULTFD_IOC_NEW, flags);
    ::close(device);
  }
  if (file >= 0)
    return {file, true};
  return {static_cast<int>(syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY)), false};
}

bool FaultDescriptor::is_owner() { return is_this_thread; }

// The owner gets a copy of the program's table of descriptors and closes all of them: a file that
// the program closes must not stay open here.
int FaultDescriptor::open() {
  if (syscall(SYS_close_range, 0U, ~0U, CLOSE_RANGE_UNSHARE) != 0)
    return errno;
  is_this_thread = true;
  const std::uint64_t features = features_at_hand();
  if ((features & kNeeded) != kNeeded)
    return errno != 0 ? errno : ENOSYS;
  file_ = make_file();
  touches_ = (features & kUnpopulated) == 0;
  uffdio_api api = {.api = UFFD_API, .features = features & (kNeeded | kWanted), .ioctls = 0};
  if (file_ >= 0 && ioctl(file_, UFFDIO_API, &api) == 0) {
    is_open_.store(true, std::memory_order_release);
    return 0;
  }
  const int error = errno;
  if (file_ >= 0)
    ::close(file_);
  return error;
}

void FaultDescriptor::after_fork_in_child() {
  is_open_ = false;
  stage_ = kIdle;
}

int FaultDescriptor::protect(std::uintptr_t page, std::size_t size) {
  return make(Call::protect, page, size);
}
void FaultDescriptor::unprotect(std::uintptr_t page, std::size_t size) {
  (void)make(Call::unprotect, page, size);
}
void FaultDescriptor::forget(std::uintptr_t page, std::size_t size) {
  (void)make(Call::forget, page, size);
}

int FaultDescriptor::make(Call call, std::uintptr_t page, std::size_t size) {
  if (!is_open())
    return ENOSYS;
  if (is_owner())
    return make_here(call, page, size);
  call_ = call;
  page_ = page;
  size_ = size;
  stage_.store(kAsked, std::memory_order_release);
  bell_.ring();
  while (stage_.load(std::memory_order_acquire) != kDone)
    base::wait_while(stage_, kAsked);
  stage_.store(kIdle, std::memory_order_relaxed);
  return result_;
}

void FaultDescriptor::serve() {
  if (stage_.load(std::memory_order_acquire) != kAsked)
    return;
  result_ = make_here(call_, page_, size_);
  stage_.store(kDone, std::memory_order_release);
  base::wake_all(stage_);
}

int FaultDescriptor::make_here(Call call, std::uintptr_t page, std::size_t size) const {
  uffdio_writeprotect opened = {.range = {page, size}, .mode = 0};
  switch (call) {
  case Call::protect:
    return protect_here(page, size);
  case Call::unprotect:
    while (ioctl(file_, UFFDIO_WRITEPROTECT, &opened) != 0 && errno == EAGAIN)
      ;
    break;
  case Call::forget:
    (void)ioctl(file_, UFFDIO_UNREGISTER, &opened.range);
    break;
  }
  return 0;
}

int FaultDescriptor::protect_here(std::uintptr_t page, std::size_t size) const {
  uffdio_register known = {.range = {page, size}, .mode = UFFDIO_REGISTER_MODE_WP, .ioctls = 0};
  if (ioctl(file_, UFFDIO_REGISTER, &known) != 0)
    return errno;
  if (touches_) {
    const auto step = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (std::uintptr_t each = page; each < page + size; each += step)
      touch(each);
  }
  uffdio_writeprotect how = {.range = {page, size}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
  for (;;) {
    if (ioctl(file_, UFFDIO_WRITEPROTECT, &how) == 0)
      return 0;
    if (errno != EAGAIN) // mappings are changing
      return errno;
  }
}

void FaultDescriptor::wake(std::uintptr_t page, std::size_t size) const {
  uffdio_range range = {page, size};
  (void)ioctl(file_, UFFDIO_WAKE, &range);
}

std::optional<Fault> FaultDescriptor::next() const {
  pollfd file = {file_, POLLIN, 0};
  uffd_msg message;
  if (poll(&file, 1, -1) != 1 || read(file_, &message, sizeof message) != sizeof message ||
      message.event != UFFD_EVENT_PAGEFAULT)
    return std::nullopt;
  return Fault{message.arg.pagefault.address, static_cast<pid_t>(message.arg.pagefault.feat.ptid)};
}

} // namespace sartor::runtime
