// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a file that nobody else reads, usually.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include <sartor/sartor.hpp>

#include "handlers.h"

static void share(File &file, sartor::QuasiInvariant &exclusive) {
  // When the guard is there, no thread is in code that does not lock.
  if (sartor::Write write(exclusive); write)
    ++file.sharers;
}

int main() try {
  std::mutex lock;
  File file = {0, 0, &lock, 1'000};

  sartor::Runtime runtime;
  auto exclusive = runtime.quasi_invariant("exclusive", file, &File::sharers);
  auto read = runtime.bind<&read_file>(&file, sartor::_);
  read.wait();
  exclusive.wait_until_holds(std::chrono::seconds(10));
  // The generic code now, and code without a look at `sharers` or the lock within milliseconds.
  std::cout << "read " << read(600) << '\n';

  share(file, exclusive);
  std::cout << "shared: read " << read(600) << ", " << exclusive.figures().broken
            << " time broken\n";

  // What is there then is folded: two look-ups of `sharers` less, and the lock is taken.
  std::cout << "holds again: " << exclusive.wait_until_holds(std::chrono::seconds(10)) << '\n';
  return EXIT_SUCCESS;
} catch (const sartor::Error &error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
