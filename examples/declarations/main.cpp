// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specializes queue.c, whose source stays unchanged: queue.sartor declares its points.
#include <cstdlib>
#include <iostream>

#include <sartor/sartor.hpp>

#include "queue.h"

int main() try {
  queue items = {.lock = 0, .limit = 3, .count = 0, .items = {}};
  std::cout << "generic: " << push(&items, FIRST_IN, 7) << '\n';

  sartor::Runtime runtime;
  // Within milliseconds, push() takes no lock and does not test `threaded`.
  for (const auto &variant : runtime.specialize({{"order", FIRST_IN}}))
    std::cout << "active: " << variant.name << '\n';
  std::cout << "specialized: " << push(&items, FIRST_IN, 8) << '\n';

  // Before `threaded` is written, that code is deactivated.
  start_threads();
  const int last = push(&items, LAST_IN, 9);
  std::cout << "with threads: " << last << ", full: " << push(&items, FIRST_IN, 1) << '\n';
  for (int i = 0; i < items.count; ++i)
    std::cout << items.items[i] << (i + 1 < items.count ? ' ' : '\n');
  return EXIT_SUCCESS;
} catch (const sartor::Error &error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
