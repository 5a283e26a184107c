// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A library that specializes while dlopen() holds the loader's lock.

#include <sartor/sartor.hpp>

#include "handlers.h"

namespace {

// Never destroyed: a caller that has the function may call it after the library was closed.
sartor::Runtime &runtime() {
  static auto *instance = new sartor::Runtime;
  return *instance;
}

const bool specialized = [] {
  runtime().specialize({{"m", 5}, {"count", 3}});
  return true;
}();

} // namespace

extern "C" long (*function_of_library())(long, long) {
  return specialized ? runtime().handler<&scale>().function() : nullptr;
}
