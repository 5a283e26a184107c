// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "language.h"

#include <cstdarg>

#define MODE sartor_enum("mode", mode, 1, 2, 3)

SARTOR_HANDLER Big add_to_all(Big big, std::uint64_t mode) {
  const std::uint64_t amount = sartor_enum("amount", mode, 1, 2, 3);
  for (std::uint64_t &word : big.words)
    word += amount;
  return big;
}

SARTOR_HANDLER double mixed(char a, short b, float c, double d, std::uint64_t e, int f,
                            std::uint64_t g, int h, double mode) {
  return a + b + static_cast<double>(c) + d + static_cast<double>(e) + f + static_cast<double>(g) +
         h + sartor_enum("mode_f", mode, 0.5, 1.5);
}

SARTOR_HANDLER int throws_at(int x, int mode) {
  const int limit = MODE;
  if (x == limit)
    throw std::to_string(x) + " at " + std::to_string(limit);
  return x;
}

SARTOR_HANDLER int catches_inside(int x, int mode) {
  const int limit = MODE;
  try {
    if (x > limit)
      throw_number(x);
    return limit;
  } catch (int caught) {
    return -caught;
  }
}

SARTOR_HANDLER std::string joined(const std::string &text, int mode) {
  std::string result;
  const int times = MODE;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

namespace names {
SARTOR_HANDLER int overloaded(int x) { return sartor_generic("int_x", x) + 1; }
SARTOR_HANDLER long overloaded(long x) { return sartor_generic("long_x", x) + 2; }
} // namespace names

template <class T> SARTOR_HANDLER T twice(T x, int mode) {
  return static_cast<T>(x * 2 + MODE - mode);
}
template int twice<int>(int, int);
template std::uint8_t twice<std::uint8_t>(std::uint8_t, int);

static SARTOR_HANDLER int static_handler(int x, int mode) { return x + MODE; }
StaticHandler static_handler_of_language() { return &static_handler; }

namespace {
SARTOR_HANDLER int hidden(int x, int mode) { return x - MODE; }
} // namespace
StaticHandler unnamed_handler() { return &hidden; }

extern "C" SARTOR_HANDLER int variadic(int mode, int count, ...) {
  va_list list;
  va_start(list, count);
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(list, int);
  va_end(list);
  return sum * MODE;
}
