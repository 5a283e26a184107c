// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

#include <cstring>

#include <sartor/points.h>

SARTOR_HANDLER std::int64_t booleans(Memory &memory, std::int64_t a, std::int64_t b) {
  const bool odd = (a & 1) != 0;
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (sartor_enum("booleans", odd, false, true))
      sum += b;
    else
      sum -= a;
    memory.cells[i] += sum;
  }
  return sum;
}

namespace {
enum class Colour : unsigned char { red = 1, green = 2, blue = 200 };
}

SARTOR_HANDLER std::int64_t enumerations(Memory &memory, std::int64_t a, std::int64_t b) {
  const auto colour = a == 1 ? Colour::red : a == 2 ? Colour::green : Colour::blue;
  switch (sartor_enum("enumerations", colour, Colour::red, Colour::green, Colour::blue)) {
  case Colour::red:
    return b;
  case Colour::green:
    memory.cells[0] += b;
    return memory.cells[0];
  default:
    return -b;
  }
}

SARTOR_HANDLER std::int64_t small_integers(Memory &memory, std::int64_t a, std::int64_t b) {
  const auto byte = sartor_generic("small_integers.i8", static_cast<std::int8_t>(a - 3));
  const auto word = sartor_generic("small_integers.u16", static_cast<std::uint16_t>(b - 1));
  memory.cells[0] += byte;
  return byte * 1000 + word;
}

SARTOR_HANDLER std::int64_t unsigned_large(Memory &, std::int64_t a, std::int64_t b) {
  const std::uint64_t large = ~std::uint64_t{0} - static_cast<std::uint64_t>(a & 1);
  const std::uint64_t x = sartor_enum("unsigned_large", large, ~0ULL, ~0ULL - 1);
  return static_cast<std::int64_t>(x / 3 + static_cast<std::uint64_t>(b));
}

SARTOR_HANDLER std::int64_t floats(Memory &memory, std::int64_t a, std::int64_t b) {
  const float scale = sartor_enum("floats", static_cast<float>(a) * 0.5F, 0.5F, 1.0F, 1.5F);
  float sum = 0.3F;
  for (int i = 0; i < 8; ++i)
    sum = sum * scale + static_cast<float>(b);
  memory.reals[0] = static_cast<double>(sum);
  return static_cast<std::int64_t>(sum);
}

SARTOR_HANDLER std::int64_t doubles(Memory &memory, std::int64_t a, std::int64_t b) {
  // 0.0 and -0.0 are equal, but lead to different results.
  const double zero = (a & 1) ? -0.0 : 0.0;
  const double x = sartor_generic("doubles", zero);
  const double inverse = 1.0 / x;
  memory.reals[1] = inverse;
  std::int64_t bits = 0;
  std::memcpy(&bits, &inverse, sizeof bits);
  return bits + b;
}

const std::int64_t table_even[4] = {2, 4, 6, 8};
static const std::int64_t table_odd[4] = {1, 3, 5, 7};

SARTOR_HANDLER std::int64_t data_pointers(Memory &memory, std::int64_t a, std::int64_t b) {
  const std::int64_t *table = (a & 1) ? table_odd : table_even;
  table = sartor_enum("data_pointers", table, table_even, table_odd);
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += table[i] * (b + i);
  memory.cells[0] = table == table_odd;
  return sum;
}

static std::int64_t twice(std::int64_t v) { return v * 2; }
static std::int64_t negated(std::int64_t v) { return -v; }

SARTOR_HANDLER std::int64_t function_pointers(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t (*function)(std::int64_t) = (a & 1) ? twice : negated;
  memory.cells[0] = function == twice;
  return sartor_enum("function_pointers", function, twice, negated)(b);
}

static std::int64_t stepped(std::int64_t v) { return v + sartor_generic("operation_step", v & 3); }

namespace {
struct Operations {
  std::int64_t (*first)(std::int64_t);
  std::int64_t (*second)(std::int64_t);
};
} // namespace

static const Operations plain_operations = {twice, stepped};
static const Operations other_operations = {stepped, negated};

SARTOR_HANDLER std::int64_t operation_tables(Memory &memory, std::int64_t a, std::int64_t b) {
  const Operations *operations = (a & 1) ? &plain_operations : &other_operations;
  operations = sartor_enum("operation_tables", operations, &plain_operations, &other_operations);
  memory.cells[0] = operations->first(b);
  effect(1, memory.cells[0]);
  return operations->second(b) + operations->first(a);
}

static const char *word_for(std::int64_t a) { return (a & 1) ? "odd" : "even"; }

SARTOR_HANDLER std::int64_t literals(Memory &memory, std::int64_t a, std::int64_t b) {
  const char *word = sartor_enum("literals", word_for(a), "odd", "even");
  memory.cells[0] = word == word_for(a);
  return word[0] * b + word[1];
}

SARTOR_HANDLER std::int64_t ranges(Memory &memory, std::int64_t a, std::int64_t b) {
  const int width = sartor_range("ranges", static_cast<int>(a), -2, 9);
  std::int64_t sum = 0;
  for (int i = -2; i < width; ++i)
    sum += memory.cells[(i + 2) & 15] * b;
  return sum;
}

SARTOR_HANDLER std::int64_t assumptions(Memory &memory, std::int64_t a, std::int64_t b) {
  memory.cells[0] += a;
  if (sartor_assume("assumptions.even", (b & 1) == 0)) {
    memory.cells[1] += b / 2;
  } else {
    effect(30, b);
  }
  sartor_assume("assumptions.small", a < 5);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < a && i < 5; ++i)
    sum += i;
  return sum + (a < 5);
}
