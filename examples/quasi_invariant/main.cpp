// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a file whose offset is usually not shared.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include <sartor/sartor.hpp>

#include "handlers.h"

static void share(File &file, sartor::QuasiInvariant &exclusive) {
  // Once the guard exists, no thread runs code that does not lock.
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
  exclusive.wait_until_valid(std::chrono::seconds(60));
  // Within milliseconds, a variant replaces the generic code. It does not test `sharers` or lock.
  std::cout << "read " << read(600) << '\n';

  share(file, exclusive);
  std::cout << "shared: read " << read(600) << ", invalidated " << exclusive.figures().invalidated
            << " time\n";

  // The new value folds: the next variant locks without testing `sharers`.
  std::cout << "valid again: " << exclusive.wait_until_valid(std::chrono::seconds(60)) << '\n';
  return EXIT_SUCCESS;
} catch (const sartor::Error &error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
