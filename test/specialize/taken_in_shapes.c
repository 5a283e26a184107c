// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "taken_in.h"

#include <sartor/points.h>

SARTOR_HANDLER long taken_by_number(int number, long bytes, long unused) {
  (void)unused;
  return carry(number, bytes);
}

SARTOR_HANDLER long taken_by_callback(struct Line *line, long bytes, long unused) {
  struct Request request = {line, bytes, unused};
  call_with(serve, &request);
  return request.answer;
}

SARTOR_HANDLER long taken_twice(struct Line *line, long bytes, long unused) {
  const long first = carry_much(line, bytes);
  return first + carry_much(line, bytes ^ unused);
}

SARTOR_HANDLER long taken_seldom(struct Line *line, long bytes, long unused) {
  (void)unused;
  return bytes < 0 ? complain(line, bytes) : line->rate * bytes;
}

__attribute__((cold, noinline)) static long give_up(struct Line *line, long bytes) {
  line->count += bytes;
  return line->rate ^ bytes;
}

SARTOR_HANDLER long taken_by_nobody(struct Line *line, long bytes, long unused) {
  (void)unused;
  return bytes < 0 ? give_up(line, bytes) : line->rate * bytes;
}

#define MIX(k)                                                                                     \
  bytes = (long)((unsigned long)bytes * (2 * (k) + 3)) ^ (bytes >> ((k) & 7));                     \
  if ((bytes & 63) == (k))                                                                         \
    line->count += bytes & 255;
#define MIX_OFTEN(k) MIX(k) MIX((k) + 1) MIX((k) + 2) MIX((k) + 3) MIX((k) + 4) MIX((k) + 5)

// Large, and calls the handler that calls it, as most functions around an interpreter do.
__attribute__((noinline)) static long work_off(struct Line *line, long bytes, long depth) {
  MIX_OFTEN(0)
  MIX_OFTEN(6)
  MIX_OFTEN(12) MIX_OFTEN(18) MIX_OFTEN(24) MIX_OFTEN(30) bytes &= 0xffffff;
  return depth > 0 ? bytes + taken_once(line, bytes & 1023, depth - 1) : bytes;
}

SARTOR_HANDLER long taken_once(struct Line *line, long bytes, long depth) {
  if (sartor_generic("checked", bytes < 0))
    return -1;
  return line->rate * work_off(line, bytes, depth);
}

struct Lines {
  struct Line first, second;
};

// The parameter is a copy, which the function changes.
static long carry_and_change(struct Lines lines, long bytes) {
  for (int i = 0; i < 3; ++i) {
    lines.first.count += bytes ^ lines.first.rate;
    lines.second.count -= lines.first.count * i;
    lines.first.rate += lines.second.count & 7;
    bytes = bytes * 31 + lines.first.count / (i + 1) - (lines.second.count << i);
    lines.second.rate ^= bytes;
  }
  return bytes + lines.first.rate * lines.second.rate;
}

SARTOR_HANDLER long taken_by_value(struct Line *line, long bytes, long unused) {
  const struct Lines *lines = (const struct Lines *)line;
  const long first = carry_and_change(*lines, bytes);
  return first + carry_and_change(*lines, bytes ^ unused);
}
