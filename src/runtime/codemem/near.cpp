// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/near.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sartor::runtime {

namespace {

// A displacement has 31 bits and a sign; the limit is lower, because the program has a size too.
constexpr std::uintptr_t kReach = 0x6000'0000;
// Room that is left for the heap, which begins after the program.
constexpr std::uintptr_t kHeapRoom = 0x2000'0000;
// The system forbids mappings below this address.
constexpr std::uintptr_t kLowest = 0x10000;

struct Gap {
  std::uintptr_t begin;
  std::uintptr_t end;
};

std::vector<Gap> gaps_in_address_space() {
  std::vector<Gap> gaps;
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> maps(std::fopen("/proc/self/maps", "re"),
                                                              std::fclose);
  if (!maps)
    return gaps;
  char line[512]; // file names come last, and may be cut off
  std::uintptr_t last_end = kLowest;
  bool at_start = true;
  while (std::fgets(line, sizeof line, maps.get())) {
    char *rest = nullptr;
    const std::uintptr_t begin = std::strtoul(line, &rest, 16);
    const bool whole = std::find(std::begin(line), std::end(line), '\n') != std::end(line);
    if (std::exchange(at_start, whole) && *rest == '-') {
      const std::uintptr_t end = std::strtoul(rest + 1, nullptr, 16);
      if (begin > last_end)
        gaps.push_back({last_end, begin});
      last_end = end;
    }
  }
  return gaps;
}

// Returns the position of `bytes` in a gap: as close below the program as possible, or far above
// its heap.
std::optional<std::uintptr_t> place_in(const Gap &gap, std::uintptr_t anchor, std::size_t bytes) {
  const bool below = gap.end <= anchor;
  const std::uintptr_t lowest =
      below ? (anchor > kReach ? anchor - kReach : 0) : anchor + kHeapRoom;
  const std::uintptr_t highest = below ? anchor : anchor + kReach;
  const std::uintptr_t begin = std::max(gap.begin, lowest);
  // The anchor may be anywhere in a page, and the system maps whole pages only.
  const std::uintptr_t end = std::min(gap.end, highest) / page_size() * page_size();
  if (end < begin || end - begin < bytes)
    return std::nullopt;
  return end - bytes;
}

void *map_at(std::uintptr_t address, std::size_t bytes, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (address != 0 ? MAP_FIXED_NOREPLACE : 0);
  void *memory = mmap(reinterpret_cast<void *>(address), bytes, protection, flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Tries the addresses right below the program or library of the anchor. They are mostly free, and
// are found without a search through all mappings.
void *map_right_below(const void *anchor, std::size_t bytes, int protection) {
  dl_find_object object; // found without the dynamic linker's lock
  if (_dl_find_object(const_cast<void *>(anchor), &object) != 0)
    return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
  return begin > kLowest + bytes ? map_at(begin - bytes, bytes, protection) : nullptr;
}

} // namespace

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t in_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

void *map_near(const void *anchor, std::size_t bytes, int protection) {
  if (void *memory = map_right_below(anchor, bytes, protection))
    return memory;
  const auto center = reinterpret_cast<std::uintptr_t>(anchor);
  const std::vector<Gap> gaps = gaps_in_address_space();
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap)
    if (gap->end <= center)
      if (const auto place = place_in(*gap, center, bytes))
        if (void *memory = map_at(*place, bytes, protection))
          return memory;
  for (const Gap &gap : gaps)
    if (gap.end > center)
      if (const auto place = place_in(gap, center, bytes))
        if (void *memory = map_at(*place, bytes, protection))
          return memory;
  return map_at(0, bytes, protection);
}

} // namespace sartor::runtime
