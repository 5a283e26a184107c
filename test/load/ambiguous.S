// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between functions, something that could be code that refers to data, or a table.
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
  .byte 0x06 // no instruction
  mov variable(%rip), %rax
  ret
  .section .note.GNU-stack, "", @progbits
