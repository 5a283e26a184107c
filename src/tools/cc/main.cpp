// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// sartor-cc and sartor-c++: replace the compiler in any build. See docs/guides/building.md.

#include <algorithm>
#include <iostream>
#include <utility>

#include "tools/cc/driver.h"

namespace {

constexpr const char *kHelp =
    R"(Usage: sartor-cc [SARTOR OPTIONS] [OPTIONS OF THE COMPILER] FILE...

Replaces the compiler in any build. Files with handlers, points or watched fields are compiled by
clang with Sartor's plugin, all others by the other compiler; programs are linked with libsartor.
sartor-c++ is the same for C++.

Options:
  --sartor-cc=COMPILER        The other compiler, which may have several words, such as "ccache gcc"
                              (default: $SARTOR_CC, or cc; for sartor-c++ $SARTOR_CXX, or c++)
  --sartor-declarations=FILE  Files of declarations, separated by colons; use absolute paths
                              (added to those of $SARTOR_DECLARATIONS)
  -fsartor-auto=FILE          Make hot functions handlers with points, and tune them while the
                              program runs; FILE is a profile of perf record, or a list of functions
  --sartor-watch              Compile all files with write guards
  --help                      Print this, and the help of the other compiler

Example:
  sartor-cc --sartor-cc="ccache gcc" -O2 -c handlers.c -o handlers.o

Options of the other compiler:

)";

} // namespace

int main(int argc, char **argv) {
  using namespace sartor;
  cc::Words words(argv + std::min(argc, 1), argv + argc);
  auto tools = cc::toolchain(argc > 0 ? argv[0] : "", words);
  if (std::ranges::find(words, "--help") != words.end())
    std::cout << kHelp << std::flush; // the compiler replaces this process
  const auto status = tools ? cc::Driver(std::move(*tools), std::move(words)).compile()
                            : Result<int>(std::unexpected(tools.error()));
  if (status)
    return *status;
  std::cerr << "sartor-cc: error: " << status.error().text() << '\n';
  return 1;
}
