// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>

#include <sartor/sartor.hpp>

int main() {
  const std::int64_t coefficients[] = {1, 2, 3, 4, 5};

  sartor::Runtime runtime;
  auto evaluate = runtime.handler<&polynomial>();
  for (const auto &point : runtime.space().points())
    std::cout << "point " << point.label << ": " << to_string(point.kind) << " of "
              << point.choices.size() << '\n';

  std::cout << "generic: " << evaluate(coefficients, 4, 10) << '\n'; // the native code
  for (const auto &variant : runtime.specialize({{"terms", 4}}))
    std::cout << "active: " << variant.name << '\n';
  std::cout << "specialized: " << evaluate(coefficients, 4, 10) << '\n';
  // The variant is for four terms. With five, its guard fails and generic code continues.
  std::cout << "guarded: " << evaluate(coefficients, 5, 10) << '\n';
}
