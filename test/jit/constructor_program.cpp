// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// constructor_program LIBRARY: loads the library with dlopen().
#include <cstdio>

#include <dlfcn.h>

int main(int argc, char **argv) {
  if (argc < 2 || !dlopen(argv[1], RTLD_NOW)) {
    std::printf("%s\n", dlerror());
    return 1;
  }
}
