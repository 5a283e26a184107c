/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data and functions that the file's assembly defines: there is one of each. */
#include "shape.h"
__asm__(".data\n.globl asm_state\n.p2align 3\nasm_state: .quad 5\n.text\n.globl "
        "asm_function\n.type asm_function,@function\nasm_function: mov $42, %eax\nret\n");
extern long asm_state;
extern int asm_function(void);
SARTOR_HANDLER long add(long x) {
  asm_state += sartor_generic("x", x);
  return asm_state * 1000 + asm_function();
}
CALLED(add);
HANDLERS(LISTED(add));
void program_run(unsigned input) {
  asm_state = 5;
  observe_number((unsigned long long)call_add(LOW(input)));
  observe_number((unsigned long long)asm_state);
  asm_state = 11;
  observe_number((unsigned long long)call_add(LOW(input)));
}
