// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIRECT_HANDLERS_H
#define SARTOR_TEST_DIRECT_HANDLERS_H

#include <sartor/points.h>

// Handlers that are called as what they are. The point "n" of each is what the last argument is:
// set without a guard to something else, it tells which code has run.

/// Cannot throw: a call leads straight into the variant.
long times(long a, long n) noexcept;

/// Throws a where that is below 0.
long checked_times(long a, long n);

struct Big {
  long parts[6];
};
/// Most of it is on the stack.
Big mixed(long a, double b, Big c, int d, short e, long f, long g, float h, long i,
          long n) noexcept;
Big checked_mixed(long a, double b, Big c, int d, short e, long f, long g, float h, long i, long n);

/// n for each level.
long recurse(long depth, long n) noexcept;

/// n times what the function gives.
long through(long (*call)(long), long n);
extern "C" long through_in_place(long (*call)(long), long n);

/// Called by the other one, in a file with handlers; elsewhere it would be a plain function.
SARTOR_HANDLER_DIRECT inline long in_header(long a, long n) noexcept {
  return a * sartor_enum("n", n, 2, 3, 5);
}

long calls_in_header(long a, long n);

/// Of a static one.
long (*hidden_times())(long, long);

struct Scale {
  virtual ~Scale() = default;
  [[nodiscard]] virtual long of(long a, long n) const;
};

/// Goes on in another function, which takes its place.
long handed_on(long a, long n);

extern long flag;
/// Reads `flag`.
long flagged(long a) noexcept;

#endif
