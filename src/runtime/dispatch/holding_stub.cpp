// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/holding_stub.h"

#include <cpuid.h>

// Vector registers that may hold arguments, including masks and upper halves, are saved by XSAVE,
// in an area of kAreaBytes: as in the dynamic linker (elf/dl-trampoline in glibc).
extern "C" {
[[gnu::visibility("hidden")]] extern const char sartor_holding_stubs[];
[[gnu::visibility("hidden")]] extern unsigned sartor_holding_mask;
unsigned sartor_holding_mask = 0;
}

namespace sartor::runtime {

namespace {

constexpr std::size_t kStubBytes = 16;
constexpr unsigned kAreaBytes = 2816; // 44 cache lines; repeated in the code below

/// Returns the state components SSE, AVX, and the three of AVX-512; 0 if XSAVE is not available, or
/// needs more memory.
unsigned find_mask() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0)
    return 0;
  unsigned enabled = 0;
  __asm__("xgetbv" : "=a"(enabled), "=d"(d) : "c"(0));
  const unsigned mask = enabled & 0xe6U;
  for (unsigned part = 2; part < 8; ++part)
    if ((mask >> part & 1U) != 0) {
      __cpuid_count(0xd, part, a, b, c, d);
      if (a + b > kAreaBytes) // its size and its offset
        return 0;
    }
  return mask;
}

} // namespace

bool can_hold() {
  static const bool can = [] {
    sartor_holding_mask = find_mask();
    return sartor_holding_mask != 0;
  }();
  return can;
}

void *holding_stub(std::size_t number) {
  return const_cast<char *>(sartor_holding_stubs + number * kStubBytes);
}

} // namespace sartor::runtime

__asm__(R"(
  .text
  .hidden sartor_holding_stubs
  .globl sartor_holding_stubs
  .p2align 4
  .type sartor_holding_stubs, @function
sartor_holding_stubs:
  .set stub, 0
  .rept 512
  .p2align 4
  endbr64
  movl $stub, %r11d
  jmp .Lheld
  .set stub, stub + 1
  .endr
  .p2align 4
.Lheld:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r10
  subq $2816, %rsp
  andq $-64, %rsp
  xorl %edx, %edx
  movq %rdx, 512(%rsp)
  movq %rdx, 520(%rsp)
  movq %rdx, 528(%rsp)
  movq %rdx, 536(%rsp)
  movq %rdx, 544(%rsp)
  movq %rdx, 552(%rsp)
  movq %rdx, 560(%rsp)
  movq %rdx, 568(%rsp)
  movl sartor_holding_mask(%rip), %eax
  xsave (%rsp)
  movl %r11d, %edi
  leaq 16(%rbp), %rsi
  call sartor_hold
  movq %rax, %r11
  xorl %edx, %edx
  movl sartor_holding_mask(%rip), %eax
  xrstor (%rsp)
  leaq -64(%rbp), %rsp
  popq %r10
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  jmpq *%r11
  .cfi_endproc
  .size sartor_holding_stubs, . - sartor_holding_stubs
)");
