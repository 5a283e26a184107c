/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** A backtracking matcher. Patterns are programs whose alternatives are tried in order. */
#ifndef MATCH_H
#define MATCH_H

#include <sartor/points.h>

enum operation { CHARACTER, TRY, JUMP, FOUND };
struct instruction {
  enum operation operation;
  int character; /**< CHARACTER: must be the next one of the text. */
  int other;     /**< An index in `code`. TRY: continue there after a failure. JUMP: target. */
};
struct program {
  struct instruction code[32];
};

/** An alternative to try after a failure: an index in `code` and the rest of the text. */
struct choice {
  int place;
  const char *at;
};
enum { MOST_CHOICES = 64 };

/** Returns 1 if the program matches the beginning of the text, and 0 otherwise. */
int match(const struct program *program, const char *text);
/** Continues match() with the last of `depth` choices. */
int go_on(const struct program *program, struct choice *stack, int depth);

#endif
