// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stops inside a variant, where the debugger inspects it.

#include <sartor/sartor.hpp>

#include "handlers/language.h"

/// The function that the variant finally calls.
void throw_number(int x) { throw x; }

int main() {
  sartor::Runtime runtime;
  auto call = runtime.handler<&catches_inside>();
  runtime.specialize({{"mode", 2}});
  return call(5, 2) == -5 ? 0 : 1;
}
