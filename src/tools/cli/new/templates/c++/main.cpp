#include "handlers.h"

#include <cstdlib>
#include <iostream>

#include <sartor/sartor.hpp>

namespace {

void run() {
  const std::int64_t coefficients[] = {1, 2, 3, 4, 5};

  sartor::Runtime runtime;
  const auto evaluate = runtime.handler<&polynomial>();
  std::cout << "generic: " << evaluate(coefficients, 4, 10) << '\n';
  runtime.specialize({{"terms", 4}});
  std::cout << "specialized: " << evaluate(coefficients, 4, 10) << '\n';
  // The variant is for four terms. With five, its guard fails and generic code continues.
  std::cout << "guarded: " << evaluate(coefficients, 5, 10) << '\n';
}

} // namespace

int main() {
  try {
    run();
  } catch (const sartor::Error &error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
