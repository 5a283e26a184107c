// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exec_only PROGRAM ARGUMENTS...: executes a program by its path, and does nothing else. It uses no
// library, so it has the minimal cost of a program that starts programs.
#include <asm/unistd.h>

__attribute__((used)) static void begin(long *top) {
  const long words = *top;
  char **const arguments = (char **)(top + 2); // after their number and our own name
  char **const environment = (char **)(top + words + 2);
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(__NR_execve), "D"(arguments[0]), "S"(arguments), "d"(environment)
                   : "rcx", "r11", "memory");
  __asm__ volatile("syscall" : : "a"(__NR_exit_group), "D"(127) : "rcx", "r11", "memory");
  __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start:\n"
        "  mov %rsp, %rdi\n"
        "  and $-16, %rsp\n"
        "  call begin\n");
