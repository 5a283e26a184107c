/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_SPECIALIZE_TAKEN_IN_H
#define SARTOR_TEST_SPECIALIZE_TAKEN_IN_H

/* What handlers take in of other files, for what a promised variable tells. */

#ifdef __cplusplus
extern "C" {
#endif

struct line {
  long rate;  /* may be promised */
  long count; /* changes */
};

/* Of another file, without handlers: its variable is known by its name alone there. */
struct line *line_of(int number);
long carry(int number, long bytes);
long carry_much(struct line *line, long bytes);
__attribute__((cold)) long complain(struct line *line, long bytes);

struct request {
  struct line *line;
  long bytes;
  long answer;
};
void serve(void *request);
void call_with(void (*function)(void *), void *argument);

/* Handlers; the first argument is bound. */
long taken_by_number(int number, long bytes, long unused);
long taken_by_callback(struct line *line, long bytes, long unused);
long taken_twice(struct line *line, long bytes, long unused);
long taken_seldom(struct line *line, long bytes, long unused);

#ifdef __cplusplus
}
#endif

#endif
