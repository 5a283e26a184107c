// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/place.h"

#include <elf.h>
#include <linux/mman.h>
#include <linux/personality.h>

#include "front/environment.h"
#include "front/kernel_view.h"
#include "front/system.h"
#include "front/text.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

namespace sartor::front {

using namespace load::format;

namespace {

// Where the kernel places programs that can lie anywhere: tools that divide the address space among
// themselves (sanitizers) leave room there.
constexpr uint64_t lowest = 0x555555400000;
constexpr uint64_t places = uint64_t{1} << 19; ///< In huge pages: 1 TiB, as the kernel.
constexpr uint64_t heap_room = uint64_t{16} << 30;
constexpr uint64_t tries = 8;
constexpr long non_blocking = 1; ///< GRND_NONBLOCK

/// Whether whoever starts the program wants the same addresses each time (`setarch -R`, debuggers).
bool is_not_random() {
  constexpr long only_ask = 0xffffffff;
  const long persona = call(__NR_personality, only_ask);
  return !is_error(persona) && (persona & ADDR_NO_RANDOMIZE) != 0;
}

/// Of what the kernel gives each program, if it may not be asked for more.
uint64_t random_number(const Stack &stack) {
  uint64_t random = 0;
  if (call(__NR_getrandom, &random, sizeof random, non_blocking) == sizeof random)
    return random;
  const auto *given = reinterpret_cast<const uint64_t *>(stack.told(AT_RANDOM));
  return given == nullptr ? 0 : checksum(given, 2);
}

/// An address space of the arena's size where nobody has anything; 0 if there is none.
uint64_t reserve(const Header &header, const Stack &stack) {
  const auto heap = static_cast<uint64_t>(call(__NR_brk, 0));
  const uint64_t first = is_not_random() ? 0 : random_number(stack);
  for (uint64_t i = 0; i < tries; ++i) {
    const uint64_t place = (first + i * (places / tries)) % places;
    uint64_t arena = header.arena != 0 ? header.arena : lowest + place * huge_page;
    // The heap grows upwards.
    if (header.arena == 0 && arena + header.arena_size > heap && arena < heap + heap_room)
      arena += 2 * heap_room;
    const void *got = map(arena, header.arena_size, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
    if (reinterpret_cast<uint64_t>(got) == arena)
      return arena;
    if (!is_error(got))
      call(__NR_munmap, got, header.arena_size);
  }
  return 0;
}

void unmap_segments(const Elf64_Phdr *headers, uint64_t count, uint64_t base) {
  uint64_t begin = ~uint64_t{0};
  uint64_t end = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_LOAD)
      continue;
    const uint64_t last = headers[i].p_vaddr + headers[i].p_memsz;
    begin = headers[i].p_vaddr < begin ? headers[i].p_vaddr : begin;
    end = last > end ? last : end;
  }
  begin = (base + begin) & ~(page - 1);
  end = (base + end + page - 1) & ~(page - 1);
  if (begin < end)
    call(__NR_munmap, begin, end - begin);
}

void unmap_what_the_kernel_mapped(const Stack &stack) {
  const auto [headers, count, base] = headers_of_program(stack);
  const auto *loader = reinterpret_cast<const Elf64_Ehdr *>(stack.told(AT_BASE));
  if (loader != nullptr) {
    const auto *from = reinterpret_cast<const Elf64_Phdr *>(stack.told(AT_BASE) + loader->e_phoff);
    unmap_segments(from, loader->e_phnum, stack.told(AT_BASE));
  }
  unmap_segments(headers, count, base);
}

/// Once small pages of the file are in the page cache, huge ones are not: so code comes before
/// anybody reads nearby, and reads ahead. Of constants, programs may read little.
void bring_huge_pages(uint64_t address, uint64_t size, bool is_code) {
  call(__NR_madvise, address, size, MADV_HUGEPAGE); // where there are none, small ones do
  if (!is_code)
    return;
  for (uint64_t at = address; at < address + size; at = (at + huge_page) & ~(huge_page - 1))
    static_cast<void>(*reinterpret_cast<const volatile char *>(at));
}

bool map_all(const Plan &plan, int image, uint64_t arena) {
  const auto *mappings = plan.table<Mapping>(plan.header().mappings);
  for (uint64_t i = 0; i < plan.header().mappings.count; ++i) {
    const Mapping &mapping = mappings[i];
    const uint64_t address = mapping.address + ((mapping.flags & absolute) != 0 ? 0 : arena);
    const bool is_zero = (mapping.flags & zeros) != 0;
    const void *got = map(address, mapping.size, static_cast<int>(mapping.protection),
                          MAP_PRIVATE | MAP_FIXED | (is_zero ? MAP_ANONYMOUS : 0),
                          is_zero ? -1 : image, is_zero ? 0 : mapping.offset);
    if (is_error(got))
      return false;
    if ((mapping.flags & on_huge_pages) != 0)
      bring_huge_pages(address, mapping.size, (mapping.protection & PROT_EXEC) != 0);
  }
  return true;
}

} // namespace

uint64_t place(const Plan &plan, int image, Stack &stack, const Start &start) {
  const Header &header = plan.header();
  const uint64_t arena = reserve(header, stack);
  if (arena == 0)
    return 0;
  if (start.is_own)
    unmap_what_the_kernel_mapped(stack);
  if (!map_all(plan, image, arena))
    fall_back({.path = start.path,
               .arguments = stack.arguments(),
               .environment = stack.environment(),
               .is_required = start.is_required},
              "its image cannot be mapped");
  call(__NR_close, image);
  char **environment = set_environment(plan, stack);
  const uint64_t base = header.arena != 0 ? 0 : arena;
  stack.tell(AT_PHDR, base + header.program_headers);
  stack.tell(AT_PHNUM, header.program_header_count);
  stack.tell(AT_ENTRY, base + header.entry);
  stack.tell(AT_BASE, arena + header.loader);
  tell_kernel(stack);
  hook(plan, arena, stack, environment, start);
  return arena + header.loader_entry;
}

} // namespace sartor::front
