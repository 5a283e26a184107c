// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A handler module with a point of each kind and type.

#include <csetjmp>
#include <cstdint>

#include <sartor/points.h>

enum class Color : std::uint32_t { black = 0, white = 7 };
enum class Mood : int { none = -1, good = 1 };

extern const char table_a[];
extern long table_b[8];

SARTOR_HANDLER std::uint64_t types(std::int8_t a, std::uint8_t b, std::int16_t c, std::uint16_t d,
                                   std::int32_t e, std::uint32_t f, std::int64_t g, std::uint64_t h,
                                   bool i, Color j, float k, double l, const char *m) {
  std::uint64_t sum = 0;
  sum += sartor_enum("i8", a, -128, 0, 127) > 0 ? 1 : 0;
  sum += sartor_enum("u8", b, 0, 255) > 0 ? 1 : 0;
  sum += sartor_enum("i16", c, -1, 1) > 0 ? 1 : 0;
  sum += sartor_enum("u16", d, 1, 2) > 0 ? 1 : 0;
  sum += sartor_enum("i32", e, -1, 1) > 0 ? 1 : 0;
  sum += sartor_enum("u32", f, 1, 2) > 0 ? 1 : 0;
  sum += sartor_enum("i64", g, INT64_MIN, INT64_MAX) > 0 ? 1 : 0;
  sum += sartor_enum("u64", h, 1, UINT64_MAX) > 0 ? 1 : 0;
  sum += sartor_enum("bool", i, false, true) ? 1 : 0;
  sum += sartor_enum("color", j, Color::black, Color::white) == Color::white ? 1 : 0;
  sum += sartor_enum("f32", k, 0.1F, 2.0F) > 0 ? 1 : 0;
  sum += sartor_enum("f64", l, 0.1, -0.5) > 0 ? 1 : 0;
  sum += sartor_generic("ptr", m) == table_a ? 1 : 0;
  return sum;
}

SARTOR_HANDLER int kinds(int a, int b, bool c) {
  int sum = sartor_range("range", a, -3, 3);
  sum += sartor_generic("generic", b);
  return sartor_assume("assumed", c) ? sum : -sum;
}

SARTOR_HANDLER long more(Mood mood, long *row) {
  long sum = sartor_enum("mood", mood, Mood::none, Mood::good) == Mood::none ? 1 : 2;
  sum += *sartor_enum("row", row, table_b, &table_b[4], nullptr);
  return sum;
}

static int deep(int x) { return sartor_enum("deep", x, 1, 2); }

SARTOR_HANDLER int one(int x) { return deep(x) + sartor_enum("shared", x, 1, 2); }
SARTOR_HANDLER int two(int x) { return deep(x) - sartor_enum("shared", x, 1, 2); }

SARTOR_HANDLER int jumps(int x, std::jmp_buf &buffer) {
  if (setjmp(buffer) != 0)
    return 0;
  return sartor_enum("after_setjmp", x, 1, 2);
}

SARTOR_HANDLER bool wide(__int128 x) { return sartor_generic("wide", x) > 0; }

// Look-ups that first compute a key in a local variable, in all their usual forms.
struct Table {
  unsigned size;
  unsigned entries[8];
};

static void mask(const unsigned *from, unsigned *to) { *to = *from & 0xff; }
static unsigned by_helper(const Table *table, unsigned a) {
  unsigned masked = 0;
  mask(&a, &masked);
  return table->entries[masked & 7];
}
SARTOR_HANDLER unsigned helper(const Table *table, unsigned a) {
  return sartor_fast_path("by_helper", by_helper, table, a);
}

class Key {
public:
  [[gnu::noinline]] explicit Key(unsigned from) : parts_{from, from >> 3} {}
  [[nodiscard]] unsigned slot() const { return (parts_[0] ^ parts_[1]) & 7; }

private:
  unsigned parts_[2];
};
static unsigned by_constructor(const Table *table, unsigned a) {
  return table->entries[Key(a).slot()];
}
SARTOR_HANDLER unsigned constructor(const Table *table, unsigned a) {
  return sartor_fast_path("by_constructor", by_constructor, table, a);
}

static unsigned by_content(const Key *key) { return key->slot(); }
SARTOR_HANDLER unsigned content(unsigned a) {
  const Key key(a);
  return sartor_fast_path("by_content", by_content, &key);
}

extern unsigned uses;
static unsigned counting(unsigned a) {
  ++uses;
  return a;
}
SARTOR_HANDLER unsigned counts(unsigned a) { return sartor_fast_path("counting", counting, a); }
