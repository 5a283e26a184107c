// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many adjacent tables of distances, each of which refers to all later ones; or, as BARE, much code
// without unwind information.

        .text
#ifdef BARE
        .fill 0x280000, 2, 0xc089 // mov %eax, %eax
#endif
        .globl NAME
        .type NAME, @function
NAME:
        .cfi_startproc
        mov $42, %eax
#ifndef BARE
        .set number, 0
        .rept 1024
        lea tables + 512 * number(%rip), %rcx
        .set number, number + 1
        .endr
#endif
        ret
        .cfi_endproc
        .size NAME, . - NAME
#ifndef BARE
        .type far, @function
far:
        .cfi_startproc
        .fill 0x200000, 1, 0x90
        ret
        .cfi_endproc
        .size far, . - far

        .section .rodata
        .balign 512
tables:
        .set middle, . + 0x80000
        .rept 0x40000
        .long far + 0x100000 - middle
        .endr
#endif
        .section .note.GNU-stack, "", @progbits
