// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <vector>

#include <sartor/sartor.hpp>

int main() {
  sartor::Runtime runtime;
  runtime.constrain({
      .relations = {"rows * columns <= 1024"},      // a tile fits the cache
      .conditions = {{"ahead", {"prefetch", {1}}}}, // has no effect without prefetching
      .forbidden = {{{"rows", 4}, {"columns", 4}}}, // known to be slow
  });

  // An exploration chooses from this space.
  const sartor::SearchSpace space(runtime.space(), {});
  std::cout << space.all().size() << " of " << space.combinations() << " combinations\n";

  // Configurations outside of it are refused.
  for (const sartor::Configuration &wrong :
       {sartor::Configuration{{"rows", 64}, {"columns", 64}},
        sartor::Configuration{{"prefetch", 0}, {"ahead", 8}},
        sartor::Configuration{{"rows", 4}, {"columns", 4}, {"prefetch", 1}}}) {
    try {
      runtime.specialize(wrong);
    } catch (const sartor::Error &error) {
      std::cout << error.what() << '\n';
    }
  }

  runtime.specialize({{"rows", 16}, {"columns", 64}});
  auto sum = runtime.handler<&weighted_sum>();
  const std::vector<std::uint32_t> matrix(128 * 128, 1);
  std::cout << "sum: " << sum(matrix.data(), 128, {16, 64, 0, 8}) << '\n';
}
