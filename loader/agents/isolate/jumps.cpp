// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrappers of longjmp() and related functions, which jump over calls: the domains that these calls
// have entered are left. The agent is preloaded, so the wrappers take precedence over the C
// library's functions.

// Fortified headers declare longjmp() and others as the checked function, which is defined here,
// too.
#undef _FORTIFY_SOURCE
#include "agents/isolate/setup.h"

#include <csetjmp>
#include <cstdint>

#include <dlfcn.h>

#include "agents/isolate/thread.h"

namespace sartor::isolate {

namespace {

enum Kind { plain, without_signals, with_signals, checked };
constexpr const char *names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};

using Jump = void(__jmp_buf_tag *, int);
Jump *jumps[sizeof names / sizeof *names];

Jump *find(Kind kind) { return reinterpret_cast<Jump *>(dlsym(RTLD_NEXT, names[kind])); }

/// Returns the stack pointer after the jump. The C library stores it mangled with a random number
/// that it has drawn at the program's start: see its PTR_MANGLE, on which sanitizers and debuggers
/// also depend.
std::uintptr_t stack_after(const __jmp_buf_tag *jump) {
  constexpr std::size_t stack_pointer = 6; // JB_RSP
  constexpr unsigned turn = 17;
  const auto scrambled = static_cast<std::uintptr_t>(jump->__jmpbuf[stack_pointer]);
  std::uintptr_t drawn;
  __asm__("movq %%fs:0x30, %0" : "=r"(drawn));
  return (scrambled >> turn | scrambled << (64 - turn)) ^ drawn;
}

[[noreturn]] void leave_and_jump(Kind kind, __jmp_buf_tag *to, int value) {
  this_thread.leave_jumped_over(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                                stack_after(to));
  // A constructor may jump before find_jumps() has run.
  Jump *jump = jumps[kind] ? jumps[kind] : find(kind);
  jump(to, value);
  __builtin_unreachable();
}

} // namespace

void find_jumps() {
  for (int kind = plain; kind <= checked; ++kind)
    jumps[kind] = find(static_cast<Kind>(kind));
}

} // namespace sartor::isolate

using namespace sartor::isolate;

#pragma GCC visibility push(default)
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): the C library's
void __longjmp_chk(__jmp_buf_tag *to, int value) noexcept;

void longjmp(__jmp_buf_tag *to, int value) noexcept { leave_and_jump(plain, to, value); }
void _longjmp(__jmp_buf_tag *to, int value) noexcept { leave_and_jump(without_signals, to, value); }
void siglongjmp(__jmp_buf_tag *to, int value) noexcept { leave_and_jump(with_signals, to, value); }
void __longjmp_chk(__jmp_buf_tag *to, int value) noexcept { leave_and_jump(checked, to, value); }
}
#pragma GCC visibility pop
