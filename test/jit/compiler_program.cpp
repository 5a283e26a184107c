// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// compiler_program [idle]: specializes its handler and prints at which points LLVM is in the
/// process; for compiler_library.sh. When idle, it opens no runtime.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include <sartor/sartor.hpp>

#include "exit_handler.h"

namespace {

void report_llvm(const char *when) {
  bool is_there = false;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    is_there = is_there || line.contains("libLLVM");
  std::printf("%s: %s\n", when, is_there ? "LLVM" : "no LLVM");
}

void specialize() {
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&sum_of_squares>();
  std::printf("%s\n", runtime.active() ? "active" : "inactive");
  try {
    const auto made = runtime.specialize({{"n", 3}});
    std::printf("variants: %zu\n", made.size());
  } catch (const sartor::Error &error) {
    std::printf("%s\n", error.what());
  }
  std::printf("result: %ld\n", handler(3));
}

} // namespace

int main(int argc, char **argv) {
  report_llvm("before");
  if (argc < 2 || std::string_view(argv[1]) != "idle")
    specialize();
  report_llvm("after");
}
