/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_PLUGIN_WATCHED_H
#define SARTOR_TEST_PLUGIN_WATCHED_H

#include <stddef.h>

#include <sartor/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

struct Inner {
  int loose;
  SARTOR_WATCHED int tight;
};

union Word {
  SARTOR_WATCHED int whole;
  char bytes[4];
};

struct Object {
  int plain;
  SARTOR_WATCHED int number;
  SARTOR_WATCHED unsigned low : 3;
  unsigned high : 5;
  SARTOR_WATCHED int list[4];
  struct Inner inner;
  SARTOR_WATCHED struct Inner pair;
  SARTOR_WATCHED long counter;
  SARTOR_WATCHED const char *text;
  SARTOR_WATCHED double weight;
  union Word word;
  struct {
    SARTOR_WATCHED short hidden;
  };
  char end[8];
};

/* A function that changes an object in one way, and the bytes of the object that it writes. */
struct WatchCase {
  const char *name;
  void (*store)(struct Object *);
  size_t offset;
  size_t size;
};

#define WATCH_CASE_AT(name, offset, size) {#name, name, offset, size}
#define WATCH_CASE(name, field)                                                                    \
  WATCH_CASE_AT(name, offsetof(struct Object, field), sizeof(((struct Object *)0)->field))

struct WatchCases {
  const struct WatchCase *cases; /* Each store is guarded. */
  size_t count;
  const struct WatchCase *fresh; /* Stores that need no guard, or functions that change nothing. */
  size_t fresh_count;
};

#define WATCH_CASES(name, guarded, not_guarded)                                                    \
  const struct WatchCases name = {guarded, sizeof(guarded) / sizeof(guarded)[0], not_guarded,      \
                                  sizeof(not_guarded) / sizeof(not_guarded)[0]}

/* The same source, compiled in each way. */
extern const struct WatchCases c_plain, c_o0, c_o2, cpp_plain, cpp_o0, cpp_o2;

#ifdef __cplusplus
}
#endif

#endif
