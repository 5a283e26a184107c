/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_CLI_COMPARED_HANDLERS_H
#define SARTOR_TEST_CLI_COMPARED_HANDLERS_H

/* Has no effect but its result. */
int compared_add(int one, int other);
/* Writes to memory behind a parameter. */
void compared_fill(int *to, int n, int value);
/* Calls the program. */
int compared_print(const char *text, int times);
int puts_of_program(const char *text);
/* Changes memory atomically. */
void compared_add_to(_Atomic int *to, int by);

#endif
