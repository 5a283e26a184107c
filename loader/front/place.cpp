// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/place.h"

#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>

#include "front/environment.h"
#include "front/stack.h"
#include "front/system.h"
#include "front/text.h"
#include "loader/lib/format/image_format.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

namespace sartor::front {

using namespace loader::format;

namespace {

struct ProgramHeaders {
  const Elf64_Phdr *headers;
  uint64_t count;
  uint64_t base; ///< Offset to add to the addresses in the program's file.
};

/// Returns the headers of the program as the kernel has mapped it.
ProgramHeaders headers_of_program(const Stack &stack) {
  const auto *headers = reinterpret_cast<const Elf64_Phdr *>(stack.reported(AT_PHDR));
  const uint64_t count = stack.reported(AT_PHNUM);
  uint64_t base = 0;
  for (uint64_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_PHDR)
      base = reinterpret_cast<uint64_t>(headers) - headers[i].p_vaddr;
  return {headers, count, base};
}

/// Returns the address at which the program begins.
uint64_t begin_of_program(const Stack &stack) {
  const auto [headers, count, base] = headers_of_program(stack);
  uint64_t begin = reinterpret_cast<uint64_t>(headers);
  for (uint64_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_LOAD && base + headers[i].p_vaddr < begin && base != 0)
      begin = base + headers[i].p_vaddr;
  return loader::format::down(begin);
}

/// The numbers of /proc/self/stat, counted as in proc(5).
class Statistics {
public:
  bool read() {
    const long file = call(__NR_open, "/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
    if (is_error(file))
      return false;
    const long size = call(__NR_read, file, text_, sizeof text_ - 1);
    close_file(file);
    if (is_error(size))
      return false;
    // The process's name is in parentheses, and may contain parentheses.
    for (long i = 0; i < size; ++i)
      if (text_[i] == ')')
        third_ = text_ + i + 2;
    return third_ != nullptr;
  }
  [[nodiscard]] uint64_t number(int which) const {
    const char *at = third_;
    for (int i = 3; i < which && *at != 0; ++at)
      i += *at == ' ' ? 1 : 0;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; ++at)
      value = value * 10 + static_cast<uint64_t>(*at - '0');
    return value;
  }

private:
  char text_[2048] = {};
  const char *third_ = nullptr;
};

/// Finds the program's code and data by the program headers that the kernel reports.
void find_program(const Stack &stack, prctl_mm_map &map) {
  const auto [headers, count, base] = headers_of_program(stack);
  map.start_code = ~uint64_t{0};
  for (uint64_t i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_LOAD)
      continue;
    const uint64_t begin = base + headers[i].p_vaddr;
    const uint64_t end = begin + headers[i].p_filesz;
    map.start_code = begin < map.start_code ? begin : map.start_code;
    map.start_data = begin > map.start_data ? begin : map.start_data;
    if ((headers[i].p_flags & PF_X) != 0 && end > map.end_code)
      map.end_code = end;
    map.end_data = end > map.end_data ? end : map.end_data;
  }
}

/// Updates the kernel's description of the process, which others read (debuggers, through
/// /proc/PID/auxv), to match the auxiliary vector on the stack. Where the kernel forbids it, they
/// see the state before the program was placed. A heap that would grow into the arena begins above
/// all low mappings instead; `arena` is 0 if there is no such heap.
void report_kernel(const Stack &stack, uint64_t arena) {
  Statistics now;
  if (!now.read())
    return;
  prctl_mm_map map = {};
  find_program(stack, map);
  map.start_stack = now.number(28);
  map.start_brk = now.number(47);
  map.brk = static_cast<uint64_t>(call(__NR_brk, 0));
  if (map.brk < arena) {
    map.start_brk += loader::format::greatest_arena;
    map.brk += loader::format::greatest_arena;
  }
  map.arg_start = now.number(48);
  map.arg_end = now.number(49);
  map.env_start = now.number(50);
  map.env_end = now.number(51);
  map.auxv = const_cast<__u64 *>(reinterpret_cast<const __u64 *>(stack.all_reported()));
  map.auxv_size = static_cast<__u32>(stack.size_of_reported());
  map.exe_fd = static_cast<__u32>(-1);
  call(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}

constexpr int tries = 8;

/// Returns an address that the kernel has chosen by its own rules: with its random numbers, of as
/// many bits as configured (vm.mmap_rnd_bits), or without, as the user requests (`setarch -R`,
/// debuggers). It is the address of the program, or of the stock loader if the program cannot be
/// moved. Tools that partition the address space (sanitizers) leave room there.
uint64_t drawn_address(const Header &header, const Stack &stack, const Start &start) {
  const uint64_t loader = stack.reported(AT_BASE);
  const bool is_by_loader = start.is_own && (header.flags & is_fixed) != 0 && loader != 0;
  return is_by_loader ? loader : begin_of_program(stack);
}

/// Reserves an unused part of the address space of the arena's size; returns 0 if there is none. It
/// is below the kernel's mapping, because a program's heap begins above it.
uint64_t reserve(const Header &header, const Stack &stack, const Start &start) {
  uint64_t arena = header.arena;
  if (arena == 0)
    arena = down(drawn_address(header, stack, start) - header.arena_size, header.alignment);
  for (int i = 0; i < tries; ++i) {
    const void *got = map(arena, header.arena_size, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
    if (reinterpret_cast<uint64_t>(got) == arena)
      return arena;
    if (!is_error(got))
      call(__NR_munmap, got, header.arena_size);
    if (header.arena != 0)
      break;
    arena -=
        // the front may be mapped there
        header.alignment > huge_page ? header.alignment : 2 * huge_page;
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

void unmap_what_the_kernel_mapped(const Stack &stack, bool keeps_program) {
  const auto [headers, count, base] = headers_of_program(stack);
  const auto *loader = reinterpret_cast<const Elf64_Ehdr *>(stack.reported(AT_BASE));
  if (loader != nullptr) {
    const auto *from =
        reinterpret_cast<const Elf64_Phdr *>(stack.reported(AT_BASE) + loader->e_phoff);
    unmap_segments(from, loader->e_phnum, stack.reported(AT_BASE));
  }
  if (!keeps_program)
    unmap_segments(headers, count, base);
}

/// Requests huge pages. The page cache holds no huge pages for a part of the file once it holds
/// small pages, so code is read before readahead of neighboring parts brings small pages. Constants
/// are not read ahead of time, because programs may use few of them.
void bring_huge_pages(uint64_t address, uint64_t size, bool is_code) {
  call(__NR_madvise, address, size, MADV_HUGEPAGE); // or else small pages
  if (!is_code)
    return;
  for (uint64_t at = address; at < address + size; at = (at + huge_page) & ~(huge_page - 1))
    static_cast<void>(*reinterpret_cast<const volatile char *>(at));
}

/// The program's and the libraries' own files. At most one is open, because all mappings of a file
/// follow each other.
class OwnFiles {
public:
  explicit OwnFiles(const Plan &plan) : plan_(plan) {}
  OwnFiles(const OwnFiles &) = delete;
  OwnFiles &operator=(const OwnFiles &) = delete;
  ~OwnFiles() { close(); }

  /// Opens a file; returns -1 if it is not the planned one. The path may lead to another kind of
  /// file by now, so opening does not block.
  int open(uint64_t index) {
    if (file_ >= 0 && index == index_)
      return file_;
    close();
    const auto &known = plan_.table<File>(plan_.header().files)[index];
    const long opened =
        call(__NR_open, plan_.string(known.path), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
    if (is_error(opened))
      return -1;
    file_ = static_cast<int>(opened);
    index_ = index;
    if (identity_of(file_) != known.identity)
      close();
    return file_;
  }

private:
  void close() {
    if (file_ >= 0)
      close_file(file_);
    file_ = -1;
  }

  const Plan &plan_;
  int file_ = -1;
  uint64_t index_ = 0;
};

bool copy(const Mapping &mapping, int image, uint64_t address) {
  for (uint64_t done = 0; done < mapping.size;) {
    const long count =
        call(__NR_pread64, image, address + done, mapping.size - done, mapping.offset + done);
    if (count <= 0)
      return false;
    done += static_cast<uint64_t>(count);
  }
  return true;
}

bool map_all(const Plan &plan, int image, uint64_t arena) {
  OwnFiles files(plan);
  const auto *mappings = plan.table<Mapping>(plan.header().mappings);
  for (uint64_t i = 0; i < plan.header().mappings.count; ++i) {
    const Mapping &mapping = mappings[i];
    const uint64_t address = mapping.address + ((mapping.flags & absolute) != 0 ? 0 : arena);
    if ((mapping.flags & copied) != 0) {
      if (!copy(mapping, image, address))
        return false;
      continue;
    }
    const bool is_zero = (mapping.flags & zeros) != 0;
    const int file = (mapping.flags & of_file) != 0 ? files.open(mapping.file) : image;
    if (file < 0)
      return false;
    const void *got = map(address, mapping.size, static_cast<int>(mapping.protection),
                          MAP_PRIVATE | MAP_FIXED | (is_zero ? MAP_ANONYMOUS : 0),
                          is_zero ? -1 : file, is_zero ? 0 : mapping.offset);
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
  const bool keeps_program = (header.flags & loader::format::keeps_program) != 0;
  const uint64_t arena = reserve(header, stack, start);
  if (arena == 0)
    return 0;
  if (start.is_own)
    unmap_what_the_kernel_mapped(stack, keeps_program);
  if (!map_all(plan, image, arena))
    fall_back({.path = start.path,
               .arguments = stack.arguments(),
               .environment = stack.environment(),
               .is_required = start.is_required},
              "its image, or a file in it, cannot be mapped");
  close_file(image);
  char **environment = set_environment(plan, stack);
  const uint64_t base = (header.flags & is_fixed) != 0 ? 0 : arena;
  if (!keeps_program) {
    stack.report(AT_PHDR, base + header.program_headers);
    stack.report(AT_PHNUM, header.program_header_count);
    stack.report(AT_ENTRY, base + header.entry);
  }
  stack.report(AT_BASE, arena + header.loader);
  report_kernel(stack, header.arena != 0 ? arena : 0);
  hook(plan, arena, stack, environment, start);
  return arena + header.loader_entry;
}

} // namespace sartor::front
