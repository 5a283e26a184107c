// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that are called as what they are: by each other, in turns, through tables and from where
// exceptions go.
#include "shape.h"

long odd(long n, long step);
SARTOR_HANDLER_DIRECT long even(long n, long step) {
  const long by = sartor_range("by", step, 1, 3);
  return n <= 0 ? by : odd(n - by, step) + 1;
}
SARTOR_HANDLER_DIRECT long odd(long n, long step) {
  return n <= 0 ? -step : even(n - sartor_range("by", step, 1, 3), step) * 3;
}

SARTOR_HANDLER_DIRECT long checked(long a, long b) {
  const long limit = sartor_generic("limit", b);
  if (a > limit)
    throw a;
  return limit - a;
}

struct Sum {
  double whole;
  long parts[4];
};
SARTOR_HANDLER_DIRECT Sum add(Sum sum, double a, long b, long c, long d, long e, long f,
                              long g) noexcept {
  const long scale = sartor_generic("scale", b % 3);
  for (long &part : sum.parts)
    part += scale * (c + d - e + f * g);
  sum.whole += a;
  return sum;
}

struct Base {
  virtual ~Base() = default;
  virtual long value(long a) const { return a; }
};
struct Derived final : Base {
  SARTOR_HANDLER_DIRECT long value(long a) const override { return sartor_generic("value", a) * 7; }
};

static long (*const table[])(long, long) = {even, odd, checked};
SARTOR_HANDLER_DIRECT long all_of(long a, long b) {
  long result = 0;
  for (const auto function : table)
    try {
      result = result * 5 + function(a, sartor_generic("b", b) % 3 + 1);
    } catch (long thrown) {
      result += thrown;
    }
  const Derived derived;
  const Base &base = derived;
  return result + base.value(a);
}

CALLED(even);
CALLED(checked);
CALLED(add);
CALLED(all_of);
HANDLERS(LISTED(even), LISTED(checked), LISTED(add), LISTED(all_of));

void program_run(unsigned input) {
  const long a = LOW(input);
  const long b = HIGH(input);
  const Sum sum{0.5, {1, 2, 3, a}};
  observe_number(static_cast<unsigned long long>(all_of(a, b)));
  observe_number(static_cast<unsigned long long>(call_all_of(a, b)));
  observe_number(static_cast<unsigned long long>(even(a, b % 3 + 1) + call_even(b, a % 3 + 1)));
  const Sum sums[] = {add(sum, 1.5, b, a, 3, 4, 5, b), call_add(sum, 2.5, a, b, 3, 4, 5, a)};
  for (const Sum &result : sums)
    observe_number(static_cast<unsigned long long>(result.parts[3]) +
                   static_cast<unsigned long long>(result.whole * 2));
  try {
    observe_number(static_cast<unsigned long long>(checked(a, b)));
    observe_number(static_cast<unsigned long long>(call_checked(b, a)));
  } catch (long thrown) {
    observe_number(static_cast<unsigned long long>(thrown));
  }
}
