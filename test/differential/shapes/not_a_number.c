/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NaNs that operations make of numbers that are known to a variant: bit by bit what the machine
 * makes of them. */
#include "shape.h"
#include <math.h>
#include <string.h>
typedef double Four __attribute__((vector_size(32)));
struct Numbers {
  double zero, one, infinite, nan;
  float zerof, infinitef;
  int none;
  Four four;
};
static struct Numbers numbers;
struct Result {
  unsigned long d[12];
  unsigned f[4];
  Four four;
  unsigned char l[3][16];
  int signs;
};
static void put(unsigned long *to, double x) { memcpy(to, &x, sizeof x); }
static void put_float(unsigned *to, float x) { memcpy(to, &x, sizeof x); }
static void put_long(unsigned char *to, long double x) { memcpy(to, &x, 10); }
static double ratio(double a, double b) { return a / b; }
__attribute__((noinline)) static double difference(const struct Numbers *n, double a, double b) {
  double sum = n->one;
  for (int i = 0; i < 3; ++i)
    sum += a - b;
  return sum;
}
SARTOR_HANDLER void on_invariant(const struct Numbers *n, struct Result *r) {
  put(&r->d[0], n->zero / n->zero);
  put(&r->d[1], n->infinite - n->infinite);
  put(&r->d[2], n->infinite * n->zero);
  put(&r->d[3], fabs(n->zero / n->zero));
  put(&r->d[4], fabs(n->infinite * n->zero) + n->one);
  put(&r->d[5], n->nan * n->zero);
  put(&r->d[6], ratio(n->zero, n->none));
  put(&r->d[7], difference(n, n->infinite, n->infinite));
  put(&r->d[8], fma(n->infinite, n->zero, n->one));
  put(&r->d[9], (double)(n->zerof / n->zerof));
  put(&r->d[10], copysign(n->one, n->zero / n->zero));
  put(&r->d[11], n->one / n->zero);
  put_float(&r->f[0], n->zerof / n->zerof);
  put_float(&r->f[1], n->infinitef + -n->infinitef);
  put_float(&r->f[2], (float)(n->zero / n->zero));
  put_float(&r->f[3], (float)n->none / (float)n->none);
  r->four = n->four / n->four;
  put_long(r->l[0], (long double)n->zero / n->zero);
  put_long(r->l[1], (long double)n->infinite - n->infinite);
  put_long(r->l[2], (long double)n->nan + n->one);
  r->signs = signbit(n->zero / n->zero) != 0;
}
SARTOR_HANDLER void pinned(double a, double b, float c, long d, struct Result *r) {
  const double x = sartor_generic("a", a), y = sartor_generic("b", b);
  const float z = sartor_generic("c", c);
  const long w = sartor_generic("d", d);
  put(&r->d[0], x / y);
  put(&r->d[1], (x * 1e300 * 1e300) * y);
  put(&r->d[2], x / y + 1);
  put(&r->d[3], (double)w / (double)w);
  put_float(&r->f[0], z / z);
  put_float(&r->f[1], (float)w / z);
  put_long(r->l[0], (long double)x / y);
  r->signs = signbit(x / y) != 0;
}
CALLED(on_invariant);
CALLED(pinned);
HANDLERS(LISTED(on_invariant), LISTED(pinned));
BINDINGS({"on_invariant", 0, (long)&numbers, 0});
struct ProgramTable program_tables[] = {{&numbers, sizeof numbers}, {0, 0}};
const char *program_configurations[] = {"{\"a\": 0.0, \"b\": 0.0, \"c\": 0.0, \"d\": 0}",
                                        "{\"a\": 1.0, \"b\": 0.0, \"c\": 0.0, \"d\": 1}", 0};
__attribute__((constructor)) static void fill(void) {
  numbers =
      (struct Numbers){0, 1, HUGE_VAL, __builtin_nan("5"), 0, HUGE_VALF, 0, {0, 1, HUGE_VAL, 3}};
}
void program_run(unsigned input) {
  struct Result result;
  memset(&result, 0, sizeof result);
  void (*bound)(struct Result *) = (void (*)(struct Result *))program_bindings[0].bound;
  bound ? bound(&result) : call_on_invariant(&numbers, &result);
  observe(&result, sizeof result);
  memset(&result, 0, sizeof result);
  call_pinned((double)(input % 2), (double)(input / 2 % 2), (float)(input % 3), (long)(input % 4),
              &result);
  observe(&result, sizeof result);
}
