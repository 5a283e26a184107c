/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Patterns that are tried one way after the other. */
#ifndef MATCH_H
#define MATCH_H

#include <sartor/points.h>

enum operation { CHARACTER, TRY, JUMP, FOUND };
struct instruction {
  enum operation operation;
  int character; /**< CHARACTER: what comes next in the text. */
  int other;     /**< TRY: where to go on if what comes next fails. JUMP: where to go on. */
};
struct program {
  struct instruction code[32];
};

/** Where to go on, and with which part of the text. */
struct choice {
  int place;
  const char *at;
};
enum { MOST_CHOICES = 64 };

/** Whether the text begins with what the program matches. */
int match(const struct program *program, const char *text);
/** Goes on with the last choice. */
int go_on(const struct program *program, struct choice *stack, int depth);

#endif
