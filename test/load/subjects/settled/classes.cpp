// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual tables and type information that begin with those of the C++ library.
#include <stdexcept>

#include "settled.h"

namespace {

struct Derived : std::runtime_error {
  Derived() : runtime_error("derived") {}
};

} // namespace

int settled_classes() {
  try {
    throw Derived();
  } catch (const std::runtime_error &error) {
    return dynamic_cast<const Derived *>(&error) != nullptr ? 1 : 0;
  }
}
