// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This code uses general registers only: all others hold the arguments and the result.
#include "agents/isolate/gate_code.h"

#include "agents/isolate/thread.h"

using sartor::isolate::Gate;

extern "C" {

Gate sartor_isolate_gates[sartor::isolate::most_gates];

__attribute__((used)) void sartor_isolate_enter_domain(const Gate *gate,
                                                       std::uintptr_t *return_slot) {
  sartor::isolate::this_thread.enter(*gate->domain, return_slot,
                                     reinterpret_cast<std::uintptr_t>(sartor_isolate_way_back));
}

__attribute__((used)) std::uintptr_t
sartor_isolate_leave_domain(const std::uintptr_t *return_slot) {
  return sartor::isolate::this_thread.leave(return_slot);
}
}

static_assert(sizeof(Gate) == 16);
static_assert(sartor::isolate::most_gates == 16384 && sartor::isolate::gate_size == 16, "as below");

// A function's arguments are where its caller has put them, some on the stack above the return
// address. A gate therefore jumps and does not call, and only the return address differs. Unwinding
// the stack ends at the way back.
__asm__(R"(
  .text
  .balign 16
  .hidden sartor_isolate_gate_code
  .globl sartor_isolate_gate_code
  .type sartor_isolate_gate_code, @function
sartor_isolate_gate_code:
  .set number, 0
  .rept 16384
  .balign 16
  leaq sartor_isolate_gates+16*number(%rip), %r11
  jmp sartor_isolate_enter
  .set number, number+1
  .endr
  .balign 16
  .size sartor_isolate_gate_code, .-sartor_isolate_gate_code

  .type sartor_isolate_enter, @function
sartor_isolate_enter:
  .cfi_startproc
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  .cfi_adjust_cfa_offset 72
  movq %r11, %rdi
  leaq 72(%rsp), %rsi
  call sartor_isolate_enter_domain
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  .cfi_adjust_cfa_offset -72
  jmpq *(%r11)
  .cfi_endproc
  .size sartor_isolate_enter, .-sartor_isolate_enter

  .type sartor_isolate_way_back, @function
  .cfi_startproc
  .cfi_undefined rip
  nop
  .hidden sartor_isolate_way_back
  .globl sartor_isolate_way_back
sartor_isolate_way_back:
  pushq %rax
  pushq %rax
  pushq %rdx
  subq $8, %rsp
  leaq 24(%rsp), %rdi
  call sartor_isolate_leave_domain
  movq %rax, 24(%rsp)
  addq $8, %rsp
  popq %rdx
  popq %rax
  retq
  .cfi_endproc
  .size sartor_isolate_way_back, .-sartor_isolate_way_back
)");
