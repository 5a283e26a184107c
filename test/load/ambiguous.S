// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data between functions that could be a table, or code that refers to data.
  .data
variable:
  .quad 1
  .text
  .globl ambiguous_function
  .type ambiguous_function, @function
ambiguous_function:
  .cfi_startproc
  ret
  .cfi_endproc
  .size ambiguous_function, . - ambiguous_function
  .byte 0x06 // not an instruction
  mov variable(%rip), %rax
  ret
  .section .note.GNU-stack, "", @progbits
