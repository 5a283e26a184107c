// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_RATES_H
#define SARTOR_TEST_RUNTIME_HANDLERS_RATES_H

struct Rates {
  long first;
  long second;
};
extern Rates rates;

/// What registers and the stack hold when a handler is called.
struct Sums {
  long parts[4];
};

/// In place of the first number: which fields are constants in the code in force, in the first
/// part.
constexpr long kWhatIsFolded = -1;
constexpr long kFirstIsFolded = 1;
constexpr long kSecondIsFolded = 2;

Sums priced(const Rates *by, long a, long b, long c, long d, double s, double t, double u, double v,
            double w, double x, double y, double z, long e, double f);
/// The same by what everybody knows, called as what it is.
Sums priced_directly(long a, long b, long c, long d, long e, double s, double t, double u, double v,
                     double w, double x, double y, double z, long f, double g) noexcept;
/// Calls something within.
void within_handler(void (*call)());

#endif
