// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>

#include <sartor/sartor.hpp>

std::vector<Band> bands = {{0, 85}, {20, 100}, {50, 160}, {500, 275}, {1000, 450}};

/// Builds a decision tree of the bands [low, high): each comparison halves the range.
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

  // To replace the bands: activate the generic code, replace them, and specialize again.
  runtime.specialize({});
  bands = {{0, 95}, {50, 180}};
  runtime.add_custom("bands", [](sartor::Builder &b) { build_tree(b, 0, bands.size()); });
  runtime.specialize({{"tariff", 1}});
  std::cout << "new tariff: " << cost(60, 10) << '\n';

  // A wrong generator is an error, and the active variant stays active.
  runtime.add_custom("bands", [](sartor::Builder &b) { b.result(b.constant(1.5)); });
  try {
    runtime.specialize({{"tariff", 1}});
  } catch (const sartor::Error &error) {
    std::cout << "as expected: " << error.what() << '\n';
  }
  std::cout << "still: " << cost(60, 10) << '\n';
}
