/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "local_escapes.h"

#include <sartor/points.h>

#define BYTES (escape_longs * sizeof(long))

SARTOR_HANDLER long escape_by_store(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  r[1] = a;
  escape_kept = r;
  r[1] += 2;
  escape_change_kept();
  return r[1] * 10;
}

SARTOR_HANDLER long escape_read_here(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  escape_kept = r + 1;
  r[1] = a;
  escape_nothing(a);
  *escape_kept += 4;
  return r[1] * 10;
}

SARTOR_HANDLER long escape_into_itself(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  *(long **)&r[7] = r + 2;
  r[2] = a;
  escape_nothing(a);
  **(long **)&r[7] += 3;
  a = r[2];
  r[7] = 0;
  return a;
}

SARTOR_HANDLER long escape_by_call(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  escape_keep(r);
  r[1] = a;
  escape_change_kept();
  return r[1];
}

SARTOR_HANDLER long escape_by_unknown_call(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  escape_hook(r);
  r[1] = a;
  escape_change_kept();
  return r[1];
}

SARTOR_HANDLER long escape_end(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  r[escape_longs - 1] = a;
  r[escape_longs - 2] = a + 1;
  escape_reach_back(r + escape_longs);
  return r[escape_longs - 2];
}

SARTOR_HANDLER long escape_structure(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  struct EscapePair pair = {r + 2, r + escape_longs};
  r[2] = a;
  r[7] = a + 5;
  escape_reach_between(&pair);
  return r[2] * 100 + r[7];
}

SARTOR_HANDLER long escape_number(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  r[3] = a;
  escape_by_number((unsigned long)(r + 3) ^ 1);
  return r[3];
}

static __attribute__((noinline)) long next(long **cursor) { return *(*cursor)++; }

SARTOR_HANDLER long escape_cursor(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  long *cursor = r;
  r[0] = a;
  r[1] = a + 1;
  const long first = next(&cursor);
  const long second = next(&cursor);
  *cursor = 9;
  return first * 10000 + second * 100 + r[2];
}

SARTOR_HANDLER long escape_returned(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  long *one = escape_forward(r);
  r[1] = a;
  *one += 3;
  return r[1];
}

SARTOR_HANDLER long escape_saved(long a, long *memory) {
  long *r = sartor_local_saved(memory, BYTES);
  escape_kept = r;
  r[1] = a;
  escape_nothing(a);
  r[1] += a;
  sartor_publish();
  escape_change_kept();
  r = sartor_local_saved(memory, BYTES);
  return r[1];
}

SARTOR_HANDLER long escape_not(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  r[1] = a;
  escape_change(r + 1);
  r[1] *= 3;
  escape_nothing(a);
  return r[1] + r[2];
}

SARTOR_HANDLER long escape_atomic(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  r[1] = a;
  const long before = __atomic_fetch_add(&r[1], 5, __ATOMIC_SEQ_CST);
  r[2] = before;
  *(volatile long *)&r[2] += 1;
  return r[1] * 1000 + r[2];
}

static __attribute__((noinline)) void publish(void) {
  sartor_publish();
  escape_change_kept();
}

SARTOR_HANDLER long escape_published_elsewhere(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  escape_kept = memory;
  r[1] = a;
  publish();
  return r[1];
}

#define CHANGE(n) r[(n) + 1] += r[n] ^ (n), escape_change(&r[n])
#define FIVE(n) CHANGE(n), CHANGE(n + 1), CHANGE(n + 2), CHANGE(n + 3), CHANGE(n + 4)
#define TWENTY(n) FIVE(n), FIVE(n + 5), FIVE(n + 10), FIVE(n + 15)
#define HUNDRED(n) TWENTY(n), TWENTY(n + 20), TWENTY(n + 40), TWENTY(n + 60), TWENTY(n + 80)

SARTOR_HANDLER long escape_many(long a, long *memory) {
  long *r = sartor_local(memory, escape_many_longs * sizeof(long));
  for (int i = 0; i < escape_many_longs; ++i)
    r[i] = a + i;
  HUNDRED(0);
  HUNDRED(100);
  return r[200];
}

/* Variables that SROA leaves, since the index is not known. */
#define PICK(a) ((unsigned long)(a) & 3)

SARTOR_HANDLER long escape_boxed(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  double boxes[4] = {1, 2, 3, 4};
  const unsigned long bits = (unsigned long)&r[2] | 0x7ffc000000000000UL;
  __builtin_memcpy(&boxes[PICK(a)], &bits, sizeof bits);
  r[2] = a;
  const double box = boxes[PICK(a)];
  if (box == box)
    return r[2];
  unsigned long read;
  __builtin_memcpy(&read, &box, sizeof read);
  long *same = (long *)(read & 0xffffffffffffUL);
  const long before = *same;
  *same = 77;
  return before * 1000 + r[2];
}

SARTOR_HANDLER long escape_halves(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  unsigned halves[4][2] = {{0}};
  halves[PICK(a)][0] = (unsigned)(unsigned long)&r[2];
  halves[PICK(a)][1] = (unsigned)((unsigned long)&r[2] >> 32);
  r[2] = a;
  const unsigned *read = halves[PICK(a * 5)];
  long *same = (long *)((unsigned long)read[1] << 32 | read[0]);
  const long before = *same;
  *same = 77;
  return before * 1000 + r[2];
}

SARTOR_HANDLER long escape_bytes(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  volatile unsigned char bytes[sizeof(long)];
  for (unsigned i = 0; i < sizeof bytes; ++i)
    bytes[i] = (unsigned char)((unsigned long)&r[2] >> 8 * i);
  r[2] = a;
  unsigned long read = 0;
  for (unsigned i = 0; i < sizeof bytes; ++i)
    read |= (unsigned long)bytes[i] << 8 * i;
  const long before = *(long *)read;
  *(long *)read = 77;
  return before * 1000 + r[2];
}

SARTOR_HANDLER long escape_tagged(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  struct {
    unsigned long number, tag;
  } tagged[4] = {{0, 0}};
  tagged[PICK(a)].tag = 1234567UL * PICK(a);
  tagged[PICK(a)].number = (unsigned long)&r[2] + 1234567UL * PICK(a);
  r[2] = a;
  long *same = (long *)(tagged[PICK(a * 5)].number - tagged[PICK(a * 5)].tag);
  const long before = *same;
  *same = 77;
  return before * 1000 + r[2];
}

__attribute__((noinline)) static unsigned long find_long(const long *memory, long searched) {
  for (unsigned i = 0; i < escape_longs; ++i)
    if (memory[i] == searched)
      return (unsigned long)&memory[i];
  return (unsigned long)memory;
}

SARTOR_HANDLER long escape_found(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  r[0] = a - 1;
  r[3] = a;
  *(long *)find_long(r, a) += 7;
  return r[3];
}

/* The upper bits of the distance from other memory, which fit an int. */
static long escape_cage[1];

SARTOR_HANDLER long escape_compressed(long a, long *memory) {
  long *r = sartor_local(memory, BYTES);
  int distances[4] = {0};
  distances[PICK(a)] = (int)(((char *)&r[2] - (char *)escape_cage) >> 16);
  const long low = ((char *)&memory[2] - (char *)escape_cage) & 0xffff;
  r[2] = a;
  long *same = (long *)((char *)escape_cage + ((long)distances[PICK(a * 5)] * 65536 + low));
  const long before = *same;
  *same = 77;
  return before * 1000 + r[2];
}
