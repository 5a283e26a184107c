// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/near_memory.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "engine/reserve.h"

namespace sartor::jit {

using namespace llvm;
using namespace llvm::orc;

namespace {

// A displacement has 31 bits and a sign; stay well inside, for the program has a size too.
constexpr std::uintptr_t kReach = 0x6000'0000;
// Leave the heap, which begins behind the program, room to grow.
constexpr std::uintptr_t kHeapRoom = 0x2000'0000;

struct Gap {
  std::uintptr_t begin;
  std::uintptr_t end;
};

std::vector<Gap> gaps_in_address_space() {
  std::vector<Gap> gaps;
  std::ifstream maps("/proc/self/maps");
  std::string line;
  std::uintptr_t last_end = 0x10000; // below, the system forbids mappings
  while (std::getline(maps, line)) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream fields(line);
    fields >> std::hex >> begin >> dash >> end;
    if (begin > last_end)
      gaps.push_back({last_end, begin});
    last_end = end;
  }
  return gaps;
}

// Where in a gap to put `bytes`: as close below the program as possible, or far above its heap.
std::optional<std::uintptr_t> place_in(const Gap &gap, std::uintptr_t anchor, size_t bytes) {
  const bool below = gap.end <= anchor;
  const std::uintptr_t lowest =
      below ? (anchor > kReach ? anchor - kReach : 0) : anchor + kHeapRoom;
  const std::uintptr_t highest = below ? anchor : anchor + kReach;
  const std::uintptr_t begin = std::max(gap.begin, lowest);
  const std::uintptr_t end = std::min(gap.end, highest);
  if (end < begin || end - begin < bytes)
    return std::nullopt;
  return end - bytes;
}

void *map_at(std::uintptr_t address, size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (address != 0 ? MAP_FIXED_NOREPLACE : 0);
  void *memory =
      mmap(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void *map_near(const void *anchor, size_t bytes) {
  const auto center = reinterpret_cast<std::uintptr_t>(anchor);
  const std::vector<Gap> gaps = gaps_in_address_space();
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap)
    if (gap->end <= center)
      if (auto place = place_in(*gap, center, bytes))
        if (void *memory = map_at(*place, bytes))
          return memory;
  for (const Gap &gap : gaps)
    if (gap.end > center)
      if (auto place = place_in(gap, center, bytes))
        if (void *memory = map_at(*place, bytes))
          return memory;
  return map_at(0, bytes);
}

llvm::Error system_error(const char *what) {
  return createStringError(std::error_code(errno, std::generic_category()), what);
}

int protection(MemProt wanted) {
  int bits = PROT_NONE;
  if ((wanted & MemProt::Read) != MemProt::None)
    bits |= PROT_READ;
  if ((wanted & MemProt::Write) != MemProt::None)
    bits |= PROT_WRITE;
  if ((wanted & MemProt::Exec) != MemProt::None)
    bits |= PROT_EXEC;
  return bits;
}

} // namespace

std::size_t in_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return alignTo(bytes, page);
}

NearMemory::~NearMemory() {
  for (const auto &[address, bytes] : reservations_)
    munmap(address.toPtr<void *>(), bytes);
}

unsigned int NearMemory::getPageSize() { return static_cast<unsigned int>(sysconf(_SC_PAGESIZE)); }

void NearMemory::reserve(size_t bytes, OnReservedFunction done) {
  void *memory = map_near(anchor_, bytes);
  if (!memory) {
    engine::use_reserve();
    memory = map_near(anchor_, bytes);
  }
  if (!memory) // LLVM's plugin for debuggers would not survive being told (22.1)
    throw std::bad_alloc();
  const auto address = ExecutorAddr::fromPtr(memory);
  {
    const std::lock_guard lock(mutex_);
    reservations_[address] = bytes;
  }
  done(ExecutorAddrRange(address, bytes));
}

char *NearMemory::prepare(jitlink::LinkGraph &, ExecutorAddr address, size_t) {
  return address.toPtr<char *>();
}

void NearMemory::initialize(AllocInfo &allocation, OnInitializedFunction done) {
  ExecutorAddr lowest(~0ULL);
  ExecutorAddr highest(0);
  for (const auto &segment : allocation.Segments) {
    const ExecutorAddr base = allocation.MappingBase + segment.Offset;
    const size_t bytes = in_pages(segment.ContentSize + segment.ZeroFillSize);
    lowest = std::min(lowest, base);
    highest = std::max(highest, base + bytes);
    std::memset((base + segment.ContentSize).toPtr<void *>(), 0, segment.ZeroFillSize);
    if (mprotect(base.toPtr<void *>(), bytes, protection(segment.AG.getMemProt())) != 0)
      return done(system_error("cannot protect memory for code"));
  }
  auto on_release = shared::runFinalizeActions(allocation.Actions);
  if (!on_release)
    return done(on_release.takeError());
  {
    const std::lock_guard lock(mutex_);
    allocations_[lowest] = {static_cast<size_t>(highest - lowest), std::move(*on_release)};
  }
  done(lowest);
}

void NearMemory::deinitialize(ArrayRef<ExecutorAddr> allocations, OnDeinitializedFunction done) {
  llvm::Error result = llvm::Error::success();
  for (const ExecutorAddr address : allocations) {
    Allocation allocation;
    {
      const std::lock_guard lock(mutex_);
      auto known = allocations_.find(address);
      if (known == allocations_.end())
        continue; // the link failed before it was initialised: nothing to undo
      allocation = std::move(known->second);
      allocations_.erase(known);
    }
    result = joinErrors(std::move(result), shared::runDeallocActions(allocation.on_release));
    void *memory = address.toPtr<void *>();
    if (mprotect(memory, allocation.bytes, PROT_READ | PROT_WRITE) != 0 ||
        madvise(memory, allocation.bytes, MADV_DONTNEED) != 0)
      result = joinErrors(std::move(result), system_error("cannot give back memory of code"));
  }
  done(std::move(result));
}

void NearMemory::release(ArrayRef<ExecutorAddr> reservations, OnReleasedFunction done) {
  for (const ExecutorAddr address : reservations) {
    const std::lock_guard lock(mutex_);
    auto reservation = reservations_.find(address);
    if (reservation == reservations_.end())
      continue;
    munmap(address.toPtr<void *>(), reservation->second);
    reservations_.erase(reservation);
  }
  done(llvm::Error::success());
}

} // namespace sartor::jit
