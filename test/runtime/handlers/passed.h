// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PASSED_H
#define SARTOR_TEST_PASSED_H

#include <cstdint>
#include <string>
#include <string_view>

#include <sartor/points.h>

/// Handlers whose source parameters differ from the arguments of their machine code.
struct Empty {};
struct Two {
  long a, b;
};
struct Padded {
  char a;
  long b;
};
struct Counted {
  Counted(long n) : n(n) {}
  Counted(const Counted &other);
  ~Counted();
  long n;
};

long count(std::string_view text, int letter);        ///< Number of occurrences of the letter.
long of_two(Two t, long k);                           ///< a * 100 + b * 10 + k
long of_wide(__int128 x, long k);                     ///< High word * 100 + low * 10 + k.
long after_empty(Empty, long a, long b);              ///< a * 10 + b
double of_complex(_Complex double z, double k);       ///< Real * 100 + imaginary * 10 + k.
long of_padded(Padded p, long k);                     ///< a * 100 + b * 10 + k
long of_counted(Counted c, long k);                   ///< n * 10 + k
long of_unsigned(unsigned x, unsigned long y, int z); ///< x + y + z, by their signedness.

class Scale {
public:
  explicit Scale(long by) : by_(by) {}
  virtual ~Scale() = default;
  SARTOR_HANDLER long times(long x, Two t) const { return (x * t.a + t.b) * by_; }
  virtual long often(long x) { return x * by_; }
  static long plus(Empty, long x, long y);

private:
  long by_;
};

namespace passed {
template <class T> SARTOR_HANDLER T weighed(Two t, T x, T y) {
  return static_cast<T>(t.a) * x + static_cast<T>(t.b) * y;
}
extern template long weighed<long>(Two, long, long);
extern template double weighed<double>(Two, double, double);

/// 2 * x, at a point "doubled.long" or "doubled.double".
template <class T> T doubled(T x);
} // namespace passed

enum class Mood : int { none = -1, good = 1, bad = 2 };
enum OldMood { minus = -5, plus = 5 };
enum class Yes : bool { no, yes };

/// Points of types that C++ converts implicitly.
long by_mood(Mood mood);                  ///< "mood": 1 for none, else 2.
long by_old_mood(OldMood mood);           ///< "old_mood", a range from -5 to 5: the same.
long by_bits(long x);                     ///< "bits" of 20 signed bits: 1 for -1, else 2.
long by_yes(Yes yes);                     ///< "yes": 1 for no, else 2.
long of_row(long k);                      ///< "row" is one of four positions in a table.
long of_row_or_none(const long *row);     ///< "row_or_none": the last position or null.
extern const long rows[4][4];             ///< The table of "row_or_none".
long digit(int letter);                   ///< A fast path "digit" over isdigit().
long looked_up(const int *table, int x);  ///< "looked_up" around a function that is always inlined.
long of_signs(int x, unsigned y, Mood m); ///< "signs": a fast path with these arguments.

struct Bits {
  unsigned a : 5;
  unsigned long b : 20;
  signed c : 3;
  unsigned long d : 40;
};
int of_bits(const Bits &bits); ///< Arithmetic on its fields, in points and without.
extern "C" {
int c_of_bits(const Bits *bits);
int c_evaluations(int n); ///< The number of evaluations of an argument of variable-length type.
}

#endif
