// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_LANGUAGE_H
#define SARTOR_TEST_LANGUAGE_H

#include <cstdint>
#include <string>

#include <sartor/points.h>

/// A structure that is passed in memory.
struct Big {
  std::uint64_t words[12];
};

/// Handlers with the point "mode" (enum 1, 2, 3).
Big add_to_all(Big big, std::uint64_t mode); ///< Adds mode to every word.
double mixed(char a, short b, float c, double d, std::uint64_t e, int f, std::uint64_t g, int h,
             double mode);           ///< The sum; "mode_f" (enum 0.5, 1.5).
int throws_at(int x, int mode);      ///< Throws std::string("x at mode") if x is mode, else x.
int catches_inside(int x, int mode); ///< Calls a function that throws x if x > mode: -x, else mode.
std::string joined(const std::string &text, int mode); ///< The text, mode times.
void throw_number(int x);                              ///< Not a handler.

namespace names {
/// An overloaded handler: x + mode, with a different point in each overload.
int overloaded(int x);
long overloaded(long x);
} // namespace names

/// A handler template, instantiated in language.cpp for int and std::uint8_t.
template <class T> SARTOR_HANDLER T twice(T x, int mode);
extern template int twice<int>(int, int);
extern template std::uint8_t twice<std::uint8_t>(std::uint8_t, int);

/// The static handlers of language.cpp and static_too.cpp, both called static_handler: x + mode,
/// and 1000 + x + mode.
using StaticHandler = int (*)(int, int);
StaticHandler static_handler_of_language();
StaticHandler static_handler_of_static_too();
/// A handler in an unnamed namespace.
StaticHandler unnamed_handler();

extern "C" {
/// x * mode, in a C file.
unsigned c_handler(unsigned x, unsigned mode);
/// The sum of `count` ints, multiplied by mode.
int variadic(int mode, int count, ...);
}

#endif
