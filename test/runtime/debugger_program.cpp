// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stops inside a variant, for the debugger to look.

#include <sartor/sartor.hpp>

#include "handlers/language.h"

/// What the variant calls in the end.
void throw_number(int x) { throw x; }

int main() {
  sartor::Runtime runtime;
  auto call = runtime.handler<&catches_inside>();
  runtime.specialize({{"mode", 2}});
  return call(5, 2) == -5 ? 0 : 1;
}
