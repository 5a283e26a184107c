/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_SPECIALIZE_TAKEN_IN_H
#define SARTOR_TEST_SPECIALIZE_TAKEN_IN_H

/* Functions of other files that handlers inline, because an invariant variable makes them
 * foldable. */

#ifdef __cplusplus
extern "C" {
#endif

struct Line {
  long rate;  /* may be invariant */
  long count; /* changes */
};

/* Functions of another file without handlers: there, the variable is only known by its name. */
struct Line *line_of(int number);
long carry(int number, long bytes);
long carry_much(struct Line *line, long bytes);
__attribute__((cold)) long complain(struct Line *line, long bytes);

struct Request {
  struct Line *line;
  long bytes;
  long answer;
};
void serve(void *request);
void call_with(void (*function)(void *), void *argument);

/* Handlers; the first argument is bound. */
long taken_by_number(int number, long bytes, long unused);
long taken_by_callback(struct Line *line, long bytes, long unused);
long taken_twice(struct Line *line, long bytes, long unused);
long taken_seldom(struct Line *line, long bytes, long unused);
long taken_by_nobody(struct Line *line, long bytes, long unused);
long taken_by_value(struct Line *line, long bytes, long unused);
long taken_once(struct Line *line, long bytes, long depth);

#ifdef __cplusplus
}
#endif

#endif
