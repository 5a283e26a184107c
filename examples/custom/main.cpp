// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <string>

#include <sartor/sartor.hpp>

std::vector<Band> bands = {{0, 85}, {20, 100}, {50, 160}, {500, 275}, {1000, 450}};

/// Writes a decision tree of the bands [low, high) in C: each comparison halves the range.
static std::string tree(std::size_t low, std::size_t high) {
  if (low == high)
    return "return " + std::to_string(low == 0 ? 0 : bands[low - 1].price) + ";";
  const std::size_t middle = (low + high) / 2;
  return "if (grams > " + std::to_string(bands[middle].above) + "u) {" + tree(middle + 1, high) +
         "} else {" + tree(low, middle) + "}";
}

static sartor::GeneratedCode tree_of_bands(const sartor::GeneratorInput &) {
  return {.text = "unsigned specialized(unsigned grams) {" + tree(0, bands.size()) + "}"};
}

int main() {
  sartor::Runtime runtime;
  auto cost = runtime.handler<&postage>();
  std::cout << "generic: " << cost(60, 10) << '\n';

  runtime.add_custom("bands", tree_of_bands);
  runtime.specialize({{"tariff", 1}});
  std::cout << "specialized: " << cost(60, 10) << '\n';

  // To replace the bands: activate the generic code, replace them, and specialize again.
  runtime.specialize({});
  bands = {{0, 95}, {50, 180}};
  runtime.add_custom("bands", tree_of_bands);
  runtime.specialize({{"tariff", 1}});
  std::cout << "new tariff: " << cost(60, 10) << '\n';

  // A wrong generator is an error, and the active variant stays active.
  runtime.add_custom("bands", [](const sartor::GeneratorInput &) {
    return sartor::GeneratedCode{.text = "double specialized(unsigned grams) { return 1.5; }"};
  });
  try {
    runtime.specialize({{"tariff", 1}});
  } catch (const sartor::Error &error) {
    std::cout << "as expected: " << error.what() << '\n';
  }
  std::cout << "still: " << cost(60, 10) << '\n';
}
