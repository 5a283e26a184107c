// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>

#include <sartor/sartor.hpp>

int main() {
  const std::int64_t coefficients[] = {1, 2, 3, 4, 5};

  // What is in tuned.json was compiled when this program was built, and lies in its file.
  sartor::Options options;
  options.compiler = sartor::CompilerPlace::none;
  sartor::Runtime runtime(options);
  auto evaluate = runtime.handler<&polynomial>();
  for (const auto &variant : runtime.specialize({{"terms", 4}}))
    std::cout << "in force: " << variant.name
              << (variant.origin == sartor::VariantOrigin::beforehand ? ", made beforehand\n"
                                                                      : "\n");
  std::cout << "specialized: " << evaluate(coefficients, 4, 10) << '\n';

  // Nobody has made this one, and what is in force stays.
  try {
    runtime.specialize({{"terms", 2}});
  } catch (const sartor::Error &error) {
    std::cout << error.what() << '\n';
  }
  std::cout << "in force: " << runtime.configuration().text() << ": "
            << evaluate(coefficients, 4, 10) << '\n';
}
