// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One library for each way in which hand-written code uses distances between data and the rest:
// -DKIND=.... Libraries of kinds from 50 on have no such distances. -DSUBJECT=... names the
// function.
#ifndef SUBJECT
#define SUBJECT distance_subject
#endif
#define ROM .section .rodata, "a", @progbits
#define RELRO .section .data.rel.ro.local, "aw", @progbits
#define CONSTANT_TABLE 1
#define JUMPS_IN_DATA 2
#define FROM_THEMSELVES 3
#define LONG_WORDS 4
#define CONSTANTS_FROM_DATA 5
#define ADDED_NUMBER 6
#define CALLED_NEXT 7
#define LARGE_MODEL 8
#define HANDED_ON 9
#define WITHOUT_UNWINDING 10
#define WITHOUT_SIGN 11
#define ADDED_IN_PLACE 12
#define KEPT_ON_STACK 13
#define EXPORTED 14
#define DISPLACEMENT 15
#define IN_A_LOOP 16
#define LESS_A_CONSTANT 17
#define BETWEEN_OTHERS 18
#define ALWAYS_THE_SAME 19
#define COMPUTED_PLACE 20
#define IN_TWO_PARTS 21
#define NUMBER_WITHOUT_UNWINDING 22
#define JUMPS_IN_CONSTANTS 50
#define NUMBERS 51
#define MASKS_IN_DATA 52

  .data
  .balign 8
one:
  .quad 11
two:
  .quad 22
three:
  .quad 33
  ROM
  .balign 8
number_one:
  .quad 1
number_two:
  .quad 2

#if KIND == JUMPS_IN_DATA || KIND == WITHOUT_UNWINDING
  RELRO
  .balign 8
table:
  .long case_one - table
  .long case_two - table
#elif KIND == CONSTANTS_FROM_DATA
  RELRO
  .balign 8
table:
  .long number_one - table
  .long number_two - table
#elif KIND == MASKS_IN_DATA
  .data
  .balign 8
table:
  .long -1, -2, 0xffff0000, 0xfffff000
#elif KIND == FROM_THEMSELVES
  ROM
  .balign 4
table:
  .long one - .
  .long two - .
table_end:
#elif KIND == LONG_WORDS
  ROM
  .balign 8
table:
  .quad one - table
  .quad two - table
#elif KIND == JUMPS_IN_CONSTANTS
  ROM
  .balign 4
table:
  .long case_one - table
  .long case_two - table
#elif KIND == NUMBERS
  ROM
  .balign 4
table:
  .long 1, 0x2e00, 0x2f08, 0x3000, 7 // values that data may have as addresses
#elif KIND == BETWEEN_OTHERS
  ROM
  .balign 4
table:
  .float 1.5
  .long one - table
  .float 2.5
  .long two - table
#else
  ROM
  .balign 4
#if KIND == EXPORTED
  .globl table
  .type table, @object
#endif
table:
  .long one - table
  .long two - table
  .long three - table
  .size table, . - table
#endif

  .text
  .globl SUBJECT
  .type SUBJECT, @function
SUBJECT:
#if KIND != WITHOUT_UNWINDING && KIND != NUMBER_WITHOUT_UNWINDING
  .cfi_startproc
#endif
#if KIND == JUMPS_IN_DATA || KIND == WITHOUT_UNWINDING || KIND == JUMPS_IN_CONSTANTS
  lea table(%rip), %rdx
  movslq (%rdx, %rdi, 4), %rax
  add %rdx, %rax
  jmp *%rax
case_one:
  mov $10, %eax
  ret
case_two:
  mov $11, %eax
  ret
#elif KIND == FROM_THEMSELVES
  xor %eax, %eax
  lea table(%rip), %rdx
  lea table_end(%rip), %rcx
1:
  movslq (%rdx), %rsi
  add (%rdx, %rsi), %rax
  add $4, %rdx
  cmp %rcx, %rdx
  jne 1b
  ret
#elif KIND == LONG_WORDS
  lea table(%rip), %rdx
  mov (%rdx, %rdi, 8), %rax
  mov (%rax, %rdx), %rax
  ret
#elif KIND == ADDED_NUMBER || KIND == NUMBER_WITHOUT_UNWINDING
  lea here(%rip), %rax
here:
  add $one - here, %rax
  mov (%rax), %rax
  ret
#elif KIND == CALLED_NEXT
  call here
here:
  pop %rax
  mov one - here(%rax), %rax
  ret
#elif KIND == DISPLACEMENT
here:
  lea here(%rip), %rdx
  mov one - here(%rdx, %rdi, 8), %rax
  ret
#elif KIND == LARGE_MODEL
here:
  lea here(%rip), %rax
  movabs $_GLOBAL_OFFSET_TABLE_ - here, %rdx
  add %rdx, %rax
  movabs $one@GOTOFF, %rdx
  mov (%rax, %rdx), %rax
  ret
#elif KIND == HANDED_ON
  mov %rdi, %rsi
  lea table(%rip), %rdi
  jmp read_table
#elif KIND == WITHOUT_SIGN
  lea table(%rip), %rdx
  mov (%rdx, %rdi, 4), %eax
  mov (%rdx, %rax), %rax
  ret
#elif KIND == ADDED_IN_PLACE
  lea table(%rip), %rdx
  mov %rdx, %rax
  movslq (%rdx, %rdi, 4), %rcx
  lea (%rax, %rcx), %rax
  mov (%rax), %rax
  ret
#elif KIND == KEPT_ON_STACK
  lea table(%rip), %rdx
  mov %rdx, -8(%rsp)
  mov (%rdx, %rdi, 4), %eax
  cltq
  mov -8(%rsp), %rcx
  add %rcx, %rax
  mov (%rax), %rax
  ret
#elif KIND == EXPORTED
  mov table@GOTPCREL(%rip), %rdx
  movslq (%rdx, %rdi, 4), %rax
  mov (%rdx, %rax), %rax
  ret
#elif KIND == LESS_A_CONSTANT
  lea one - 0x4000(%rip), %rax
  mov 0x4000(%rax, %rdi, 8), %rax
  ret
#elif KIND == BETWEEN_OTHERS
  lea table(%rip), %rdx
  movslq 4(%rdx, %rdi, 8), %rax
  mov (%rdx, %rax), %rax
  ret
#elif KIND == ALWAYS_THE_SAME
  movslq table + 4(%rip), %rax
  lea table(%rip), %rdx
  mov (%rdx, %rax), %rax
  ret
#elif KIND == COMPUTED_PLACE
  lea table(%rip), %rdx
  shl $2, %rdi
  add %rdx, %rdi
  mov (%rdi), %eax
  mov %eax, -4(%rsp)
  movslq -4(%rsp), %rax
  lea table(%rip), %rcx
  add %rcx, %rax
  mov (%rax), %rax
  ret
#elif KIND == IN_TWO_PARTS
  lea table(%rip), %rdx
  jmp rarely
#elif KIND == IN_A_LOOP
  jmp 2f
1:
  movslq (%rdx, %rdi, 4), %rax
  add %rdx, %rax
  dec %rdi
  jnz 1b
  mov (%rax), %rax
  ret
2:
  lea table(%rip), %rdx
  jmp 1b
#elif KIND == NUMBERS || KIND == MASKS_IN_DATA
  lea table(%rip), %rdx
  mov (%rdx, %rdi, 4), %eax
  ret
#else
  lea table(%rip), %rdx
  movslq (%rdx, %rdi, 4), %rax
  add %rdx, %rax
  mov (%rax), %rax
  ret
#endif
#if KIND != WITHOUT_UNWINDING && KIND != NUMBER_WITHOUT_UNWINDING
  .cfi_endproc
#endif
  .size SUBJECT, . - SUBJECT
#if KIND == LESS_A_CONSTANT
  .type filler, @function
filler: // the address less the constant
  .cfi_startproc
  .fill 0x10000, 1, 0x90
  ret
  .cfi_endproc
  .size filler, . - filler
#elif KIND == IN_TWO_PARTS
  .type rarely, @function
rarely:
  .cfi_startproc
  movslq (%rdx, %rdi, 4), %rax
  mov (%rdx, %rax), %rax
  ret
  .cfi_endproc
  .size rarely, . - rarely
#elif KIND == HANDED_ON
  .type read_table, @function
read_table:
  .cfi_startproc
  movslq (%rdi, %rsi, 4), %rax
  mov (%rdi, %rax), %rax
  ret
  .cfi_endproc
  .size read_table, . - read_table
#endif
  .section .note.GNU-stack, "", @progbits
