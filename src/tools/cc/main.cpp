// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// sartor-cc and sartor-c++: replace the compiler in any build. See docs/guides/building.md.

#include <iostream>
#include <utility>

#include "tools/cc/driver.h"

int main(int argc, char **argv) {
  using namespace sartor;
  cc::Words words(argv + std::min(argc, 1), argv + argc);
  auto tools = cc::toolchain(argc > 0 ? argv[0] : "", words);
  const auto status = tools ? cc::Driver(std::move(*tools), std::move(words)).compile()
                            : Result<int>(std::unexpected(tools.error()));
  if (status)
    return *status;
  std::cerr << "sartor-cc: error: " << status.error().text() << '\n';
  return 1;
}
