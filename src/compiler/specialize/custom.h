// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_CUSTOM_H
#define SARTOR_COMPILER_SPECIALIZE_CUSTOM_H

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>

#include <sartor/builder.hpp>
#include <sartor/space.hpp>

#include "base/result.h"
#include "compiler/specialize/specialize.h"

namespace sartor::compiler {

/// What a generator is told of the point it builds.
struct CustomPoint {
  std::string label;
  std::string kind;
  std::string handler;
  Setting setting;
  /// As the source has them; from here come only their signs, the rest from the wrapper.
  PointType result = {};
  std::vector<PointType> arguments = {};
};

/// What the built code leans on.
struct CustomBuilt {
  std::vector<std::uint64_t> promises;
};

/// Replaces the body of `wrapper`, which calls the generic function with the wrapper's arguments
/// and returns what that returns, by what `generator` builds. Forgets all that was inferred of the
/// wrapper from its old body. Fails with bad_generator, generated_invalid_ir, no_clang; the module
/// is unusable then.
Result<CustomBuilt> build_custom(llvm::Function &wrapper, const Generator &generator,
                                 const CustomPoint &point, const Symbols &symbols);

} // namespace sartor::compiler

#endif
