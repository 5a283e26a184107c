// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Specializes its handlers and says where each one's code came from.

#include <cstdio>

#include <sartor/sartor.hpp>

#include "handlers.h"

int main() {
  sartor::Runtime runtime;
  auto call = runtime.handler<&doubled>();
  for (const sartor::VariantInfo &info :
       runtime.specialize({{"columns", 8}, {"mode", 1}, {"small", true}}))
    if (info.origin != sartor::VariantOrigin::native)
      std::printf("%s %s\n", info.name.c_str(),
                  info.origin == sartor::VariantOrigin::disk ? "disk" : "compiled");
  return call(21, 1) == 42 ? 0 : 1;
}
