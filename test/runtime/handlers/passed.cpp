// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passed.h"

#include <cctype>

Counted::Counted(const Counted &other) : n(other.n) {}
Counted::~Counted() { n = 0; }

SARTOR_HANDLER long count(std::string_view text, int letter) {
  long n = 0;
  for (const char c : text)
    n += c == letter;
  return n;
}
SARTOR_HANDLER long of_two(Two t, long k) { return t.a * 100 + t.b * 10 + k; }
SARTOR_HANDLER long of_wide(__int128 x, long k) {
  return static_cast<long>(x >> 64) * 100 + static_cast<long>(x) * 10 + k;
}
SARTOR_HANDLER long after_empty(Empty, long a, long b) { return a * 10 + b; }
SARTOR_HANDLER double of_complex(_Complex double z, double k) {
  return __real__ z * 100 + __imag__ z * 10 + k;
}
SARTOR_HANDLER long of_padded(Padded p, long k) { return p.a * 100 + p.b * 10 + k; }
SARTOR_HANDLER long of_counted(Counted c, long k) { return c.n * 10 + k; }
SARTOR_HANDLER long of_unsigned(unsigned x, unsigned long y, int z) {
  return static_cast<long>(x + y) + z;
}
SARTOR_HANDLER long Scale::plus(Empty, long x, long y) { return x * 10 + y; }

namespace {
template <class T> struct Labels;
template <> struct Labels<long> {
  static constexpr char doubled[] = "doubled.long";
};
template <> struct Labels<double> {
  static constexpr char doubled[] = "doubled.double";
};
} // namespace
template <class T> SARTOR_HANDLER T passed::doubled(T x) {
  return sartor_generic(Labels<T>::doubled, x) * 2;
}
template long passed::doubled<long>(long);
template double passed::doubled<double>(double);
template long passed::weighed<long>(Two, long, long);
template double passed::weighed<double>(Two, double, double);

SARTOR_HANDLER long by_mood(Mood mood) {
  return sartor_enum("mood", mood, Mood::none, Mood::good, Mood::bad) == Mood::none ? 1 : 2;
}
SARTOR_HANDLER long by_old_mood(OldMood mood) {
  return sartor_range("old_mood", mood, minus, plus) == minus ? 1 : 2;
}
SARTOR_HANDLER long by_bits(long x) {
  return sartor_generic("bits", static_cast<signed _BitInt(20)>(x)) == -1 ? 1 : 2;
}
SARTOR_HANDLER long by_yes(Yes yes) {
  return sartor_enum("yes", yes, Yes::no, Yes::yes) == Yes::no ? 1 : 2;
}

static long table[4][4] = {{1}, {2}, {3}, {4}};
SARTOR_HANDLER long of_row(long k) {
  const long *row =
      sartor_enum("row", (const long *)table[k & 3], table[0], table[1], table[2], table[3]);
  return *row;
}
const long rows[4][4] = {{1}, {2}, {3}, {4}};
SARTOR_HANDLER long of_row_or_none(const long *row) {
  row = sartor_enum("row_or_none", row, &rows[3][0], nullptr);
  return row ? *row : -1;
}

SARTOR_HANDLER long digit(int letter) { return sartor_fast_path("digit", isdigit, letter) != 0; }

static inline __attribute__((always_inline, pure)) int look_up(const int *from, int x) {
  return from[x & 7] * 3;
}
SARTOR_HANDLER long looked_up(const int *from, int x) {
  return sartor_fast_path_versioned("looked_up", (const std::uint64_t *)from, look_up, from, x);
}

static __attribute__((noinline, const)) long signs(int x, unsigned y, Mood m) {
  return x + static_cast<long>(y) + static_cast<long>(m);
}
SARTOR_HANDLER long of_signs(int x, unsigned y, Mood m) {
  return sartor_fast_path("signs", signs, x, y, m);
}

SARTOR_HANDLER int of_bits(const Bits &bits) {
  int seen = 0;
  seen |= sartor_generic("bits.a", bits.a) - 10 < 0 ? 1 : 0;
  seen |= sartor_generic("bits.b", bits.b) - 10 < 0 ? 2 : 0;
  seen |= sartor_generic("bits.c", bits.c) - 3 < 0 ? 4 : 0;
  seen |= sartor_generic("bits.d", bits.d) << 30 >> 30 != bits.d ? 8 : 0;
  return seen;
}
