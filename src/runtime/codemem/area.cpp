// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/area.h"

#include <atomic>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/private_file.h"
#include "runtime/codemem/near.h"

namespace sartor::runtime {

namespace {

/// The number of mappings of all areas of this process.
std::atomic<std::size_t> mappings{0};

std::size_t most_mappings() {
  static const std::size_t most = [] {
    std::size_t of_process = 65'530; // the kernel's default
    std::ifstream("/proc/sys/vm/max_map_count") >> of_process;
    return of_process / 2;
  }();
  return most;
}

// No system has a lower limit than this: most programs need not read the limit.
constexpr std::size_t kFew = 256;

bool are_too_many(std::size_t more) {
  return mappings + more > kFew && mappings + more > most_mappings();
}

// Opened for each use: programs close descriptors that they do not know.
base::FileHandle open_own_memory() {
  return base::FileHandle(::open("/proc/self/mem", O_WRONLY | O_CLOEXEC));
}

} // namespace

Area::Area(std::byte *code, std::byte *writable, std::size_t bytes)
    : code_(code), writable_(writable), bytes_(bytes) {
  if (code)
    mappings += is_mapped_twice() ? 2 : 1;
}

Area Area::map_private(const void *anchor, std::size_t bytes) {
  if (are_too_many(1))
    return {nullptr, nullptr, 0};
  void *code = map_near(anchor, bytes, PROT_NONE);
  if (!code)
    return {nullptr, nullptr, 0};
  Area area(static_cast<std::byte *>(code), nullptr, bytes);
  // Kernels may reserve such writes to debuggers (proc_mem.force_override).
  constexpr std::byte kAny{0};
  if (mprotect(code, bytes, PROT_READ | PROT_EXEC) != 0 || !area.write(0, &kAny, 1))
    return {nullptr, nullptr, 0};
  return area;
}

bool Area::can_write_private() { return open_own_memory().get() >= 0; }

bool Area::write(std::size_t begin, const std::byte *content, std::size_t bytes) const {
  const base::FileHandle memory = open_own_memory();
  auto at = reinterpret_cast<off_t>(code_ + begin);
  while (bytes > 0) {
    const ssize_t written = pwrite(memory.get(), content, bytes, at);
    if (written <= 0)
      return false;
    content += written;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

// Maps memory twice without a file, so that there is no descriptor that the program could close or
// a child could inherit, and no limit on the size of files applies: mremap() with an old size of 0
// creates another view of the same pages (mremap(2)).
Area Area::map_twice(const void *anchor, std::size_t bytes) {
  if (are_too_many(2))
    return {nullptr, nullptr, 0};
  void *writable = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (writable == MAP_FAILED)
    return {nullptr, nullptr, 0};
  void *code = map_near(anchor, bytes, PROT_NONE);
  const bool twice = code &&
                     mremap(writable, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, code) == code &&
                     mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0;
  if (twice)
    return {static_cast<std::byte *>(code), static_cast<std::byte *>(writable), bytes};
  munmap(writable, bytes);
  if (code)
    munmap(code, bytes);
  return {nullptr, nullptr, 0};
}

Area Area::map_once(const void *anchor, std::size_t bytes) {
  if (are_too_many(1))
    return {nullptr, nullptr, 0};
  auto *memory = static_cast<std::byte *>(map_near(anchor, bytes, PROT_READ | PROT_WRITE));
  return {memory, memory, bytes};
}

Area::~Area() {
  if (!code_)
    return;
  mappings -= is_mapped_twice() ? 2 : 1;
  munmap(code_, bytes_);
  if (is_mapped_twice())
    munmap(writable_, bytes_);
}

bool Area::seal() const { return mprotect(code_, bytes_, PROT_READ | PROT_EXEC) == 0; }

void Area::empty(std::size_t begin, std::size_t bytes) const {
  if (is_private())
    madvise(code_ + begin, bytes, MADV_DONTNEED);
  else
    madvise(writable_ + begin, bytes, MADV_REMOVE);
}

} // namespace sartor::runtime
