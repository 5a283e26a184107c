// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIRECT_HANDLERS_H
#define SARTOR_TEST_DIRECT_HANDLERS_H

#include <sartor/points.h>

// Handlers that are called directly, by their own names. The value of point "n" is the last
// argument. Set without a guard to another value, it shows which code has run.

/// Cannot throw: a call goes straight into the variant.
long times(long a, long n) noexcept;

/// Throws `a` if it is negative.
long checked_times(long a, long n);

struct Big {
  long parts[6];
};
/// Most of its arguments are on the stack.
Big mixed(long a, double b, Big c, int d, short e, long f, long g, float h, long i,
          long n) noexcept;
Big checked_mixed(long a, double b, Big c, int d, short e, long f, long g, float h, long i, long n);

/// Adds n for each level of recursion.
long recurse(long depth, long n) noexcept;

/// Returns n times the result of `call`.
long through(long (*call)(long), long n);
extern "C" long through_in_place(long (*call)(long), long n);

/// Called by the other handler, in a file with handlers; elsewhere it would be a plain function.
SARTOR_HANDLER_DIRECT inline long in_header(long a, long n) noexcept {
  return a * sartor_enum("n", n, 2, 3, 5);
}

long calls_in_header(long a, long n);

/// Returns the address of a static handler.
long (*hidden_times())(long, long);

struct Scale {
  virtual ~Scale() = default;
  [[nodiscard]] virtual long of(long a, long n) const;
};

/// Ends with a tail call of another function.
long handed_on(long a, long n);

extern long flag;
/// Reads `flag`.
long flagged(long a) noexcept;

#endif
