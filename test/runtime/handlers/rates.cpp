// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rates.h"

#include <sartor/points.h>

Rates rates = {3, 5};

namespace {

inline Sums sums(const Rates &by, long numbers, double reals, long last, double last_real) {
  return {{numbers * by.first, static_cast<long>(reals) * by.second, last + by.first,
           static_cast<long>(last_real) - by.second}};
}

// Which fields are constants, as __builtin_constant_p answers after optimization.
inline Sums what_is_folded(const Rates &by) {
  return {{(__builtin_constant_p(by.first) ? kFirstIsFolded : 0) |
               (__builtin_constant_p(by.second) ? kSecondIsFolded : 0),
           0, 0, 0}};
}

} // namespace

SARTOR_HANDLER Sums priced(const Rates *by, long a, long b, long c, long d, double s, double t,
                           double u, double v, double w, double x, double y, double z, long e,
                           double f) {
  if (a == kWhatIsFolded)
    return what_is_folded(*by);
  return sums(*by, a + 2 * b + 3 * c + 5 * d,
              s + 2 * t + 3 * u + 5 * v + 7 * w + 11 * x + 13 * y + 17 * z, e, f);
}

SARTOR_HANDLER_DIRECT Sums priced_directly(long a, long b, long c, long d, long e, double s,
                                           double t, double u, double v, double w, double x,
                                           double y, double z, long f, double g) noexcept {
  if (a == kWhatIsFolded)
    return what_is_folded(rates);
  return sums(rates, a + 2 * b + 3 * c + 5 * d + 7 * e,
              s + 2 * t + 3 * u + 5 * v + 7 * w + 11 * x + 13 * y + 17 * z, f, g);
}

SARTOR_HANDLER void within_handler(void (*call)()) { call(); }
