/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Something of each kind that a relocation can refer to. */

int settled_data[4] = {1, 2, 3, 4};
__thread int settled_thread = 5;
int settled_begun;

int settled_function(void) { return 10; }
__attribute__((visibility("protected"))) int settled_protected(void) { return 20; }
/* The program defines another one. */
int settled_interposed(void) { return 30; }
/* Runs as a constructor of the client. */
void settled_begin(void) { ++settled_begun; }

static int chosen(void) { return 40; }
static int (*choose(void))(void) { return chosen; }
int settled_indirect(void) __attribute__((ifunc("choose")));

int settled_old(void) { return 50; }
int settled_new(void) { return 60; }
__asm__(".symver settled_old, settled_versioned@SETTLED_1");
__asm__(".symver settled_new, settled_versioned@@SETTLED_2");

__asm__(".pushsection .data\n"
        ".globl settled_unique\n"
        ".type settled_unique, @gnu_unique_object\n"
        ".size settled_unique, 4\n"
        "settled_unique: .long 70\n"
        ".popsection");
