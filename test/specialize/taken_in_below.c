// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "taken_in.h"

static struct Line lines[4] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};

struct Line *line_of(int number) { return number >= 0 && number < 4 ? &lines[number] : 0; }

// Too large to be inlined otherwise.
long carry(int number, long bytes) {
  struct Line *line = line_of(number);
  if (!line)
    return -1;
  long sum = 0;
  for (long i = 0; i < line->rate; ++i)
    sum += bytes * i + (sum >> 3) + (bytes ^ i);
  if (line->rate > 100)
    sum ^= bytes * 31 + (sum << 2) + (bytes >> 5) * 17 + (sum % 29);
  if (line->rate > 200)
    sum ^= bytes * 37 + (sum << 3) + (bytes >> 6) * 19 + (sum % 31);
  line->count += sum;
  return sum;
}

long carry_much(struct Line *line, long bytes) {
  long sum = bytes;
  for (long i = 0; i < line->rate; ++i)
    sum += bytes * i + (sum >> 3) + (bytes ^ i);
  sum = sum * 31 + (sum << 2) + (bytes >> 5) * 17 + (sum % 29);
  sum = sum * 37 + (sum << 3) + (bytes >> 6) * 19 + (sum % 31);
  sum = sum * 41 + (sum << 4) + (bytes >> 7) * 23 + (sum % 37);
  line->count += sum;
  return sum;
}

long complain(struct Line *line, long bytes) { return -carry_much(line, bytes); }

void serve(void *given) {
  struct Request *request = given;
  request->answer = request->line->rate * request->bytes;
  request->line->count += request->bytes;
}

void call_with(void (*function)(void *), void *argument) { function(argument); }
