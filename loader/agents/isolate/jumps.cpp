// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// longjmp() and its like jump over calls, by which domains are left then. These stand before the C
// library's, as the agent is preloaded.
#include <csetjmp>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>

#include "agents/isolate/thread.h"

namespace {

using Jump = void(__jmp_buf_tag *, int);

/// Where the stack will be. The C library keeps it scrambled, with a number that it has drawn when
/// the program began: see its PTR_MANGLE, on which sanitizers and debuggers rely as well.
std::uintptr_t stack_after(const __jmp_buf_tag *jump) {
  constexpr std::size_t stack_pointer = 6; // JB_RSP
  constexpr unsigned turn = 17;
  const auto scrambled = static_cast<std::uintptr_t>(jump->__jmpbuf[stack_pointer]);
  std::uintptr_t drawn;
  __asm__("movq %%fs:0x30, %0" : "=r"(drawn));
  return (scrambled >> turn | scrambled << (64 - turn)) ^ drawn;
}

[[noreturn]] void leave_and_jump(const char *name, __jmp_buf_tag *jump, int value) {
  const auto next = reinterpret_cast<Jump *>(dlsym(RTLD_NEXT, name));
  sartor::isolate::this_thread.leave_jumped_over(
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), stack_after(jump));
  next(jump, value);
  __builtin_unreachable();
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {
void longjmp(__jmp_buf_tag *jump, int value) noexcept { leave_and_jump("longjmp", jump, value); }
void _longjmp(__jmp_buf_tag *jump, int value) noexcept { leave_and_jump("_longjmp", jump, value); }
void siglongjmp(__jmp_buf_tag *jump, int value) noexcept {
  leave_and_jump("siglongjmp", jump, value);
}
void __longjmp_chk(__jmp_buf_tag *jump, int value) noexcept;
void __longjmp_chk(__jmp_buf_tag *jump, int value) noexcept {
  leave_and_jump("__longjmp_chk", jump, value);
}
}
#pragma GCC visibility pop
