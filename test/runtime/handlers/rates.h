// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_RATES_H
#define SARTOR_TEST_RUNTIME_HANDLERS_RATES_H

struct Rates {
  long first;
  long second;
};
extern Rates rates;

/// The arguments that a handler received in registers and on the stack.
struct Sums {
  long parts[4];
};

/// Passed as the first number: asks for the fields that are constants in the active code; the
/// answer is the first part.
constexpr long kWhatIsFolded = -1;
constexpr long kFirstIsFolded = 1;
constexpr long kSecondIsFolded = 2;

Sums priced(const Rates *by, long a, long b, long c, long d, double s, double t, double u, double v,
            double w, double x, double y, double z, long e, double f);
/// The same with the global rates, called by its own name.
Sums priced_directly(long a, long b, long c, long d, long e, double s, double t, double u, double v,
                     double w, double x, double y, double z, long f, double g) noexcept;
/// Calls `call` from within a handler.
void within_handler(void (*call)());

#endif
