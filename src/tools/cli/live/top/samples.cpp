// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/top/samples.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor::cli {

namespace {

constexpr std::uint64_t kSamplesPerSecond = 199;
/// The kernel limits the locked memory of all rings of a user (perf_event_mlock_kb).
constexpr std::size_t kMostThreads = 48;

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

} // namespace

/// One thread's event, and its ring: a page of positions, then a page of records.
struct Samples::Thread {
  base::FileHandle event;
  void *ring = nullptr;

  Thread(base::FileHandle handle, void *mapped) : event(std::move(handle)), ring(mapped) {}
  Thread(Thread &&other) noexcept
      : event(std::move(other.event)), ring(std::exchange(other.ring, nullptr)) {}
  Thread &operator=(Thread &&) = delete;
  ~Thread() {
    if (ring)
      munmap(ring, 2 * page());
  }

  void take(std::vector<std::uint64_t> &into);
};

void Samples::Thread::take(std::vector<std::uint64_t> &into) {
  auto *const about = static_cast<perf_event_mmap_page *>(ring);
  const auto *const records = static_cast<const char *>(ring) + page();
  const std::size_t size = page();
  const auto byte_at = [&](std::uint64_t position, void *to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<char *>(to)[i] = records[(position + i) % size];
  };
  const std::uint64_t end = std::atomic_ref(about->data_head).load(std::memory_order_acquire);
  std::uint64_t position = about->data_tail;
  while (position < end) {
    perf_event_header header{};
    byte_at(position, &header, sizeof header);
    if (header.size < sizeof header)
      break;
    if (header.type == PERF_RECORD_SAMPLE) {
      std::uint64_t instruction = 0;
      byte_at(position + sizeof header, &instruction, sizeof instruction);
      into.push_back(instruction);
    }
    position += header.size;
  }
  std::atomic_ref(about->data_tail).store(end, std::memory_order_release);
}

Samples::Samples(pid_t process) : process_(process) {}
Samples::Samples(Samples &&) noexcept = default;
Samples::~Samples() = default;

Result<Samples> Samples::open(pid_t process) {
  Samples samples(process);
  if (auto added = samples.add(process); !added)
    return std::unexpected(std::move(added.error()));
  return samples;
}

Result<void> Samples::add(pid_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_freq = kSamplesPerSecond;
  attributes.freq = 1;
  attributes.sample_type = PERF_SAMPLE_IP;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  base::FileHandle event(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  void *ring = event.get() < 0
                   ? MAP_FAILED
                   : mmap(nullptr, 2 * page(), PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
  if (ring == MAP_FAILED)
    return std::unexpected(Failure{ErrorCode::not_permitted, "samples",
                                   std::generic_category().message(errno),
                                   "lower kernel.perf_event_paranoid to 2"});
  threads_.emplace(thread, Thread(std::move(event), ring));
  return {};
}

void Samples::look_for_threads() {
  std::set<pid_t> running;
  std::error_code error;
  for (const auto &each :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process_) + "/task", error)) {
    const std::string name = each.path().filename();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc())
      running.insert(thread);
  }
  std::erase_if(threads_, [&](const auto &each) { return !running.contains(each.first); });
  for (const pid_t thread : running)
    if (!threads_.contains(thread) && threads_.size() < kMostThreads)
      (void)add(thread); // others are sampled
}

std::vector<std::uint64_t> Samples::take() {
  std::vector<std::uint64_t> taken;
  for (auto &[number, thread] : threads_)
    thread.take(taken);
  look_for_threads();
  return taken;
}

} // namespace sartor::cli
