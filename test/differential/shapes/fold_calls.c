/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are called ahead of time, and those that conditions protect from what they cannot
 * stand: null pointers, zero, endless loops. */
#include "shape.h"
struct node {
  long kind;
  long value;
  const struct node *next;
};
static const struct node last = {0, 7, 0};
static const struct node first = {3, 5, &last};
SARTOR_FOLD long weight(const struct node *of) { return of->value * 3 + of->kind; }
SARTOR_FOLD long share(const struct node *of, long divisor) { return of->value / divisor; }
SARTOR_FOLD long count_down(const struct node *of, long by) {
  volatile long left = of->value;
  while (left != 0)
    left = left - by;
  return by;
}
SARTOR_HANDLER long folded(const struct node *of, long x, long y) {
  const long way = sartor_generic("way", x);
  long sum = weight(of);
  for (const struct node *each = of; each; each = each->next) {
    sum = sum * 5 + weight(each);
    if (each->next)
      sum += weight(each->next);
    if (each->kind != 0)
      sum += share(each, each->kind);
    if (y == 77)
      sum += share(each, each->kind) + count_down(each, each->kind);
    if (y > each->value)
      sum += share(each, each->kind + 1);
  }
  return way > 2 ? sum + share(of, way) : sum;
}
CALLED(folded);
HANDLERS(LISTED(folded));
BINDINGS({"folded", 0, (long)&first, 0});
struct ProgramTable program_tables[] = {{&first, sizeof first}, {&last, sizeof last}, {0, 0}};
void program_run(unsigned input) {
  long (*bound)(long, long) = (long (*)(long, long))program_bindings[0].bound;
  const long x = LOW(input);
  const long y = HIGH(input) * 3;
  observe_number((unsigned long long)call_folded(&last, x, y));
  observe_number((unsigned long long)(bound ? bound(x, y) : call_folded(&first, x, y)));
}
