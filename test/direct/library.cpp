// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

#include <optional>

#include <sartor/sartor.hpp>

namespace {

std::optional<sartor::Runtime> &runtime() {
  static auto *instance = new std::optional<sartor::Runtime>;
  return *instance;
}

} // namespace

void specialize_library(long n) {
  runtime().emplace();
  runtime()->specialize({{"n", sartor::unguarded(n)}});
}

void end_library_runtime() { runtime().reset(); }
