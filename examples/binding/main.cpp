// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <vector>

#include <sartor/sartor.hpp>

int main() {
  sartor::Runtime runtime;
  {
    // Takes the remaining argument, the value. Runs native code until the variant is ready.
    auto fifth = runtime.bind<&power>(sartor::_, 5, 1'000'003);
    std::cout << "at once: " << fifth(10) << '\n';
    fifth.wait();
    std::cout << "bound: " << fifth(10) << '\n';

    // Bindings with equal arguments share one variant.
    std::vector<decltype(fifth)> many;
    for (int i = 0; i < 1000; ++i)
      many.push_back(runtime.bind<&power>(sartor::_, 5, 1'000'003));
    many.back().wait();
    std::cout << many.size() + 1 << " bindings, " << runtime.statistics().variants << " variant\n";
  } // the last binding is destroyed here and releases the variant

  {
    // The exponent is known first. Each modulus starts from the code specialized to the exponent.
    auto cube = runtime.bind<&power>(sartor::_, 3, sartor::_);
    for (int modulus = 11; modulus < 14; ++modulus) {
      auto further = cube.bind(sartor::_, modulus);
      further.wait();
      std::cout << "cube: " << further(5) << '\n';
    }
    std::cout << runtime.statistics().staged << " compiled from the stage before\n";
  }

  // At most two contexts. Beyond that, bindings drop argument 2 (modulus), then 1 (exponent).
  runtime.limit_bindings<&power>(2, {2, 1});
  std::vector<decltype(runtime.bind<&power>(sartor::_, 3, 7))> some;
  std::uint64_t sum = 0;
  for (int modulus = 7; modulus < 27; ++modulus) {
    some.push_back(runtime.bind<&power>(sartor::_, 3, modulus));
    some.back().wait();
    sum += some.back()(2);
  }
  std::cout << "sum: " << sum << ", " << runtime.statistics().compiles << " compiles\n";
}
