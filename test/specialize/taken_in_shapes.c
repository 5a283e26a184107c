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
