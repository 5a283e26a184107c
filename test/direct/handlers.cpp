// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

long flag = 1;

SARTOR_HANDLER_DIRECT long times(long a, long n) noexcept {
  return a * sartor_enum("n", n, 2, 3, 5);
}

SARTOR_HANDLER_DIRECT long checked_times(long a, long n) {
  const long factor = sartor_enum("n", n, 2, 3, 5);
  if (a < 0)
    throw a;
  return a * factor;
}

namespace {

Big sum(long a, double b, const Big &c, int d, short e, long f, long g, float h, long i) {
  Big result = c;
  result.parts[0] += a + static_cast<long>(b);
  result.parts[1] += d * 10 + e;
  result.parts[2] += f - g;
  result.parts[3] += static_cast<long>(h) + i;
  return result;
}

} // namespace

SARTOR_HANDLER_DIRECT Big mixed(long a, double b, Big c, int d, short e, long f, long g, float h,
                                long i, long n) noexcept {
  Big result = sum(a, b, c, d, e, f, g, h, i);
  result.parts[5] = sartor_enum("n", n, 2, 3, 5);
  return result;
}

SARTOR_HANDLER_DIRECT Big checked_mixed(long a, double b, Big c, int d, short e, long f, long g,
                                        float h, long i, long n) {
  if (a < 0)
    throw a;
  Big result = sum(a, b, c, d, e, f, g, h, i);
  result.parts[5] = sartor_enum("n", n, 2, 3, 5);
  return result;
}

SARTOR_HANDLER_DIRECT long recurse(long depth, long n) noexcept {
  const long each = sartor_enum("n", n, 2, 3, 5);
  return depth == 0 ? each : each + recurse(depth - 1, n);
}

SARTOR_HANDLER_DIRECT long through(long (*call)(long), long n) {
  return sartor_enum("n", n, 2, 3, 5) * call(n);
}

namespace {

SARTOR_HANDLER_DIRECT long static_times(long a, long n) noexcept {
  return a * sartor_enum("n", n, 2, 3, 5);
}

} // namespace

long calls_in_header(long a, long n) { return in_header(a, n); }

long (*hidden_times())(long, long) { return static_times; }

SARTOR_HANDLER_DIRECT long Scale::of(long a, long n) const {
  return a * sartor_enum("n", n, 2, 3, 5);
}

long next(long a, long n);

SARTOR_HANDLER_DIRECT long handed_on(long a, long n) {
  const long factor = sartor_enum("n", n, 2, 3, 5);
  [[clang::musttail]] return next(a, factor);
}

SARTOR_HANDLER_DIRECT long flagged(long a) noexcept { return flag != 0 ? a : -a; }
