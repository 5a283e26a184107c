// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PLUGIN_SHARED_H
#define SARTOR_TEST_PLUGIN_SHARED_H

#include <sartor/points.h>

// Handlers defined in a header that two files include.

inline SARTOR_HANDLER long shared_inline(long x) {
  static long calls = 0;
  return sartor_generic("inline", x) * 3 + ++calls * 1000;
}

struct Scale {
  long factor;
  SARTOR_HANDLER long apply(long x) const { return sartor_generic("member", x) * factor; }
};

template <class T> SARTOR_HANDLER T doubled(T x) { return sartor_generic("doubled", x) * 2; }

/// Template instances whose points agree share one point.
template <int N> SARTOR_HANDLER long added(long x) { return sartor_generic("added", x) + N; }

extern "C" {
long first(long x);
long second(long x);
long only_in_second(long x);
}

#endif
