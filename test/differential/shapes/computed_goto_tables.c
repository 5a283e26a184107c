/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of labels of all kinds: differences, in structures, tables of tables, tables that are not
 * declared constant, local ones; and labels that are let out. Each interpreter is copied where it
 * stands behind a fast path, within a blocking section, and where it calls itself. */
#include "shape.h"
struct Program {
  long bias;
  unsigned char code[8];
};
static const struct Program programs[] = {{2, {1, 2, 3, 1, 4, 0}}, {-7, {2, 2, 1, 3, 0}}};
__attribute__((noinline)) static void wait_for(long x) { observe_number((unsigned long long)x); }

#define OPERATIONS(GO, SELF)                                                                       \
  const unsigned char *next = p->code;                                                             \
  long cells[2] = {sum, 3};                                                                        \
  GO;                                                                                              \
  add:                                                                                             \
  sum += p->bias;                                                                                  \
  cells[sum & 1] ^= sum;                                                                           \
  GO;                                                                                              \
  twice:                                                                                           \
  sum *= 2;                                                                                        \
  GO;                                                                                              \
  negate:                                                                                          \
  sum = cells[sum & 1] - sum;                                                                      \
  GO;                                                                                              \
  call:                                                                                            \
  sum += depth ? SELF(p, sum + 1, depth - 1) * 3 : 1;                                              \
  GO;                                                                                              \
  done:                                                                                            \
  return sum + cells[1];

#define INTERPRETER(name)                                                                          \
  __attribute__((const)) static long name(const struct Program *p, long sum, long depth)

INTERPRETER(by_difference) {
  static const int operations[] = {&&done - &&done, &&add - &&done, &&twice - &&done,
                                   &&negate - &&done, &&call - &&done};
  OPERATIONS(goto * (&&done + operations[*next++]), by_difference)
}
INTERPRETER(in_structures) {
  static const struct {
    int before;
    struct {
      const void *label;
    } nested[1];
  } operations[] = {
      {0, {{&&done}}}, {1, {{&&add}}}, {2, {{&&twice}}}, {3, {{&&negate}}}, {4, {{&&call}}}};
  OPERATIONS(goto * operations[*next++].nested[0].label, in_structures)
}
INTERPRETER(by_tables) {
  static const void *const ends[] = {&&done, &&add};
  static const void *const others[] = {&&twice, &&negate, &&call, &&done};
  static const void *const *const operations[] = {ends, others, others + 2};
  OPERATIONS(++next; goto * operations[next[-1] / 2][next[-1] % 2], by_tables)
}
INTERPRETER(not_constant) {
  static void *operations[] = {&&done, &&add, &&twice, &&negate, &&call};
  OPERATIONS(goto * operations[*next++], not_constant)
}
INTERPRETER(tables_not_constant) {
  static void *ends[] = {&&done, &&add}, *others[] = {&&twice, &&negate, &&call, &&done};
  static void **operations[] = {ends, others, others + 2};
  OPERATIONS(++next; goto * operations[next[-1] / 2][next[-1] % 2], tables_not_constant)
}
INTERPRETER(on_stack) {
  const void *operations[] = {&&done, &&add, &&twice, &&negate, &&call};
  OPERATIONS(goto * operations[*next++], on_stack)
}
/* The labels are found by other calls. */
static const void *shown[5];
static long translated(const struct Program *p, long sum, long depth) {
  if (!p) {
    const void *const operations[] = {&&done, &&add, &&twice, &&negate, &&call};
    for (int i = 0; i < 5; ++i)
      shown[i] = operations[i];
    return 0;
  }
  OPERATIONS(goto * shown[*next++], translated)
}
static long resumed(long *state, long sum) {
  static const void *next;
  if (*state == 0)
    next = &&first;
  ++*state;
  goto *next;
first:
  next = &&second;
  return sum + 1;
second:
  next = &&third;
  return sum * 2;
third:
  next = &&first;
  return -sum;
}

#define HANDLER(name)                                                                              \
  SARTOR_HANDLER long blocking_##name(const struct Program *p, long x) {                           \
    long sum = 0;                                                                                  \
    sartor_blocking {                                                                              \
      wait_for(x);                                                                                 \
      sum = name(p, x, 1);                                                                         \
    }                                                                                              \
    return sum + p->bias;                                                                          \
  }                                                                                                \
  SARTOR_HANDLER long fast_##name(const struct Program *p, long x) {                               \
    return sartor_fast_path(#name, name, p, x, 1) + p->bias;                                       \
  }                                                                                                \
  SARTOR_HANDLER long plain_##name(const struct Program *p, long x) {                              \
    return name(p, sartor_generic("plain " #name, x), 2) + name(p, x + 1, 0);                      \
  }                                                                                                \
  CALLED(blocking_##name);                                                                         \
  CALLED(fast_##name);                                                                             \
  CALLED(plain_##name)
HANDLER(by_difference);
HANDLER(in_structures);
HANDLER(by_tables);
HANDLER(not_constant);
HANDLER(tables_not_constant);
HANDLER(on_stack);
HANDLER(translated);
SARTOR_HANDLER long resuming(long *state, long x) {
  return resumed(state, sartor_generic("resumed", x)) + resumed(state, x);
}
CALLED(resuming);
#define ALL_LISTED(name) LISTED(blocking_##name), LISTED(fast_##name), LISTED(plain_##name)
HANDLERS(ALL_LISTED(by_difference), ALL_LISTED(in_structures), ALL_LISTED(by_tables),
         ALL_LISTED(not_constant), ALL_LISTED(tables_not_constant), ALL_LISTED(on_stack),
         ALL_LISTED(translated), LISTED(resuming));
#define BOUND(name)                                                                                \
  {"blocking_" #name, 0, (long)&programs[0], 0}, {"fast_" #name, 0, (long)&programs[0], 0},        \
      {"plain_" #name, 0, (long)&programs[0], 0}
BINDINGS(BOUND(by_difference), BOUND(in_structures), BOUND(by_tables), BOUND(not_constant),
         BOUND(tables_not_constant), BOUND(on_stack), BOUND(translated));
struct ProgramTable program_tables[] = {{programs, sizeof programs}, {0, 0}};
void program_run(unsigned input) {
  const long x = LOW(input) + HIGH(input);
  translated(0, 0, 0);
  for (unsigned i = 0; program_handlers[i + 1].name; ++i) {
    long (*bound)(long) = (long (*)(long))program_bindings[i].bound;
    long (*called)(const struct Program *, long) =
        (long (*)(const struct Program *, long))*program_handlers[i].called;
    observe_number(
        (unsigned long long)(bound && input % 2 == 0 ? bound(x) : called(&programs[input % 2], x)));
  }
  long state = 0;
  for (int i = 0; i < 5; ++i)
    observe_number((unsigned long long)call_resuming(&state, x));
}
