/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Invariant objects are passed on by value, several times. A callee's changes of its copy are not
 * done to the object. */
#include "shape.h"
struct Rules {
  int rule[8];
  int count;
  long scratch[8];
};
struct Outer {
  long factor;
  struct Rules rules;
  const struct Rules *others;
};
static struct Rules rules, others;
static struct Outer outer;
static long work(struct Rules r, long x) {
  long s = 0;
  for (int i = 0; i < r.count; ++i) {
    r.scratch[i & 7] += x * r.rule[i];
    s += r.scratch[i & 7] ^ (x << i);
    if (s & 1)
      r.scratch[(i + 3) & 7] -= s * 3;
    else
      r.scratch[(i + 5) & 7] += s * 7;
    s = s * 31 + r.scratch[(i + 1) & 7] - x / (i + 1);
  }
  return s;
}
/* It writes to the invariant part of the object. */
static long consume(struct Rules r, long x) {
  long s = 0;
  while (r.count > 0) {
    --r.count;
    r.rule[r.count & 7] += (int)x;
    s = s * 5 + r.rule[r.count & 7] * (x + r.count);
    if (s % 3 == 0)
      r.rule[(r.count + 7) & 7] ^= 5;
    s += r.rule[(r.count + 7) & 7] - r.scratch[r.count & 7];
  }
  return s;
}
static long nested(struct Outer o, const struct Rules *same, long x) {
  o.rules.count -= (int)(x & 1);
  o.factor += x;
  const long s = work(o.rules, x) + consume(*o.others, x + same->count);
  o.rules.rule[0] = same->rule[1];
  return s * o.factor + work(o.rules, x + 2) - consume(*same, o.rules.rule[0]);
}
static long recursive(struct Rules r, long x) {
  r.scratch[r.count & 7] += x;
  --r.count;
  r.rule[0] += r.rule[r.count & 7];
  return r.count > 0 ? recursive(r, x + r.rule[0]) + r.scratch[r.count & 7] : r.rule[0] * x;
}
SARTOR_HANDLER long twice(struct Rules *p, long x) {
  const long a = work(*p, x);
  return a * 3 + work(*p, sartor_generic("x", x) + 1);
}
SARTOR_HANDLER long consumed(struct Rules *p, long x) {
  const long a = consume(*p, x);
  return a * 3 + consume(*p, x + 1) + p->count;
}
SARTOR_HANDLER long inside(struct Outer *p, long x) {
  const long a = nested(*p, &p->rules, x);
  return a + nested(*p, &p->rules, sartor_generic("inside", x) + 1) + p->rules.rule[2];
}
SARTOR_HANDLER long again(struct Rules *p, long x) {
  return recursive(*p, x) * 3 + recursive(*p, x + 1) + p->rule[0];
}
CALLED(twice);
CALLED(consumed);
CALLED(inside);
CALLED(again);
HANDLERS(LISTED(twice), LISTED(consumed), LISTED(inside), LISTED(again));
BINDINGS({"twice", 0, (long)&rules, 0}, {"consumed", 0, (long)&rules, 0},
         {"inside", 0, (long)&outer, 0}, {"again", 0, (long)&rules, 0});
/* Of one, a part: the rest may be written. */
struct ProgramTable program_tables[] = {{rules.rule, sizeof rules.rule},
                                        {&rules.count, sizeof rules.count},
                                        {&others, sizeof others},
                                        {&outer, sizeof outer},
                                        {0, 0}};
__attribute__((constructor)) static void fill(void) {
  for (int i = 0; i < 8; ++i) {
    rules.rule[i] = i * 5 + 1;
    others.rule[i] = 11 - i;
    others.scratch[i] = i * i;
  }
  rules.count = 8;
  others.count = 5;
  outer = (struct Outer){3, others, &others};
}
void program_run(unsigned input) {
  const long x = LOW(input) * 3 - HIGH(input);
  for (int i = 0; i < 8; ++i)
    rules.scratch[i] = i + (long)input;
  for (int i = 0; i < 4; ++i) {
    long (*bound)(long) = (long (*)(long))program_bindings[i].bound;
    long (*called)(void *, long) = (long (*)(void *, long))*program_handlers[i].called;
    observe_number(
        (unsigned long long)(bound ? bound(x) : called(i == 2 ? (void *)&outer : &rules, x)));
  }
  observe(&rules, sizeof rules);
  observe(&outer.rules, sizeof outer.rules);
  observe(&others, sizeof others);
}
