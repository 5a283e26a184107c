// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/kernel_view.h"

#include <linux/fcntl.h>
#include <linux/prctl.h>

#include "front/system.h"
#include "front/text.h"
#include "loader/lib/format/image_format.h"

namespace sartor::front {

ProgramHeaders headers_of_program(const Stack &stack) {
  const auto *headers = reinterpret_cast<const Elf64_Phdr *>(stack.reported(AT_PHDR));
  const uint64_t count = stack.reported(AT_PHNUM);
  uint64_t base = 0;
  for (uint64_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_PHDR)
      base = reinterpret_cast<uint64_t>(headers) - headers[i].p_vaddr;
  return {headers, count, base};
}

uint64_t begin_of_program(const Stack &stack) {
  const auto [headers, count, base] = headers_of_program(stack);
  uint64_t begin = reinterpret_cast<uint64_t>(headers);
  for (uint64_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_LOAD && base + headers[i].p_vaddr < begin && base != 0)
      begin = base + headers[i].p_vaddr;
  return loader::format::down(begin);
}

namespace {

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

} // namespace

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

} // namespace sartor::front
