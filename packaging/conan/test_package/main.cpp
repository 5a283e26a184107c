// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specializes a handler of its own: the installed plugin, library and compiler work together.
#include <iostream>

#include <sartor/sartor.hpp>

long power(long base, int exponent);

int main() {
  sartor::Runtime runtime;
  auto specialized = runtime.handler<&power>();
  const auto variants = runtime.specialize({{"n", 8}});
  std::cout << "Sartor: " << variants.size() << " variant, 2^8 = " << specialized(2, 8) << '\n';
  return variants.size() == 1 && specialized(2, 8) == 256 ? 0 : 1;
}
