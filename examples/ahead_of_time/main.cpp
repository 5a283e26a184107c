// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>

#include <sartor/sartor.hpp>

int main() {
  const std::int64_t coefficients[] = {1, 2, 3, 4, 5};

  // The variants in tuned.json were compiled when this program was built and are in its file.
  sartor::Options options;
  options.compiler = sartor::CompilerLocation::none;
  sartor::Runtime runtime(options);
  auto evaluate = runtime.handler<&polynomial>();
  for (const auto &variant : runtime.specialize({{"terms", 4}}))
    std::cout << "active: " << variant.name
              << (variant.origin == sartor::VariantOrigin::ahead_of_time
                      ? ", compiled ahead of time\n"
                      : "\n");
  std::cout << "specialized: " << evaluate(coefficients, 4, 10) << '\n';

  // This one was not compiled ahead of time: the call fails, and the active variant stays active.
  try {
    runtime.specialize({{"terms", 2}});
  } catch (const sartor::Error &error) {
    std::cout << error.what() << '\n';
  }
  std::cout << "active: " << runtime.configuration().text() << ": " << evaluate(coefficients, 4, 10)
            << '\n';
}
