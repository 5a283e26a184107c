// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>

#include <sartor/sartor.hpp>

std::vector<Band> bands = {{0, 85}, {20, 100}, {50, 160}, {500, 275}, {1000, 450}};

/// The bands as a decision tree: halves what is left with each comparison.
static void build_tree(sartor::Builder &b, std::size_t low, std::size_t high) {
  if (low == high) {
    b.result(b.constant(low == 0 ? 0U : bands[low - 1].price));
    return;
  }
  const std::size_t middle = (low + high) / 2;
  const auto lighter = b.block();
  const auto heavier = b.block();
  b.branch(b.compare(sartor::Builder::Predicate::greater, b.argument(0),
                     b.constant(bands[middle].above)),
           heavier, lighter);
  b.enter(lighter);
  build_tree(b, low, middle);
  b.enter(heavier);
  build_tree(b, middle + 1, high);
}

int main() {
  sartor::Runtime runtime;
  auto cost = runtime.handler<&postage>();
  std::cout << "generic: " << cost(60, 10) << '\n';

  runtime.add_custom("bands", [](sartor::Builder &b) {
    if (bands.size() > 100'000)
      b.fail("there are too many bands");
    build_tree(b, 0, bands.size());
  });
  runtime.specialize({{"tariff", 1}});
  std::cout << "specialized: " << cost(60, 10) << '\n';

  // Other bands: the generic code first, then a tree of the new ones.
  runtime.specialize({});
  bands = {{0, 95}, {50, 180}};
  runtime.add_custom("bands", [](sartor::Builder &b) { build_tree(b, 0, bands.size()); });
  runtime.specialize({{"tariff", 1}});
  std::cout << "new tariff: " << cost(60, 10) << '\n';

  // What is wrong is told, and what is in force stays in force.
  runtime.add_custom("bands", [](sartor::Builder &b) { b.result(b.constant(1.5)); });
  try {
    runtime.specialize({{"tariff", 1}});
  } catch (const sartor::Error &error) {
    std::cout << "as expected: " << error.what() << '\n';
  }
  std::cout << "still: " << cost(60, 10) << '\n';
}
