// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that execute CPUID: they store the answer to leaf %edi, subleaf %esi, in the four words
// at %rdx. The code after it shows whether anything else has changed.
  .macro function name
  .globl \name
  .type \name, @function
\name:
  .cfi_startproc
  .endm
  .macro end name
  .cfi_endproc
  .size \name, . - \name
  .endm
  .macro ready
  push %rbx
  mov %rdx, %r8
  mov %edi, %eax
  mov %esi, %ecx
  .endm
  .macro done
  mov %eax, (%r8)
  mov %ebx, 4(%r8)
  mov %ecx, 8(%r8)
  mov %edx, 12(%r8)
  pop %rbx
  ret
  .endm

  .text
  // Returns 1 if flags, other registers and the memory below the stack are unchanged.
function asks_between
  ready
  movq $77, -16(%rsp)
  movq $78, -128(%rsp)
  mov $5, %edi
  mov $6, %esi
  stc
  cpuid
  mov %rdi, %r9
  setc %dil
  mov %eax, (%r8)
  mov %ebx, 4(%r8)
  mov %ecx, 8(%r8)
  mov %edx, 12(%r8)
  xor %eax, %eax
  movzbl %dil, %edi
  cmp $1, %edi
  jne 1f
  cmp $5, %r9
  jne 1f
  cmp $6, %rsi
  jne 1f
  cmpq $77, -16(%rsp)
  jne 1f
  cmpq $78, -128(%rsp)
  jne 1f
  mov $1, %eax
1:
  pop %rbx
  ret
end asks_between

  // Jumps lead to the question, past the code before it, and to the code after it.
function asks_where_jumps_lead
  ready
  test %edi, %edi
  jz 1f
  mov %edi, %eax
1:
  cpuid
2:
  test %r8, %r8
  jz 2b
  done
end asks_where_jumps_lead

  // The same through a jump table.
function asks_in_a_table
  ready
  lea table(%rip), %r9
  movslq (%r9), %r10
  add %r9, %r10
  jmp *%r10
  nop
first:
  cpuid
second:
  test %r8, %r8
  done
end asks_in_a_table

  // The target of its jump is not known statically.
function asks_behind_a_jump
  ready
  lea 1f(%rip), %r10
  jmp *%r10
1:
  mov %edi, %eax
  mov %esi, %ecx
  cpuid
  done
end asks_behind_a_jump

  .section .rodata, "a", @progbits
  .balign 4
table:
  .long first - table
  .long second - table
  .section .note.GNU-stack, "", @progbits
