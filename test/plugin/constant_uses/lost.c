// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of lost.cpp in C.
#include <sartor/watch.h>
#include <stddef.h>
#include <stdint.h>
struct Inner {
  long pad;
  SARTOR_WATCHED int flag;
};
struct Config {
  long a;
  SARTOR_WATCHED int flag;
  struct Inner in, all[3];
};
extern struct Config config;
SARTOR_WATCHED int variable;
struct Row {
  const char *name;
  void *any;
  int *flag;
  uintptr_t number;
};
static const struct Row rows[] = {
    {.name = "flag", .flag = &config.flag}, // here
    [2] = {.flag = &config.all[1].flag},    // here
    {.any = &config.in.flag},               // here
};
static struct Row whole = {.any = &config};                              // here
static struct Row counted = {.number = (uintptr_t)&variable};            // here
static void *const cast_away = (void *)(const void *)&config;            // here
static int *const *chain = (int *const[]){&config.flag, &variable};      // here
static char *bytes = (char *)&config + offsetof(struct Config, in.flag); // here
void set(int i) {
  *rows[i].flag = *(int *)whole.any = *(int *)counted.number = *(int *)cast_away = **chain = *bytes;
}
void set_local(void) {
  static int *kept = &config.flag; // here
  *kept = 3;
}
void set_by_name(void) {
  __asm__ volatile("incl variable(%%rip)" ::: "memory"); // net
}
void set_immediate(void) {
  __asm__ volatile("movl $3, %c0" ::"i"(&config.in.flag) : "memory"); // net
}
void set_operand(void) {
  __asm__ volatile("incl %0" : "+m"(config.flag)); // here
}
