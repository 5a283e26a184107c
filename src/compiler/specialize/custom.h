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

/// The input of a generator: the point that it builds.
struct CustomPoint {
  std::string label;
  std::string kind;
  std::string handler;
  Setting setting;
  /// The source's types, used for signedness only; the rest comes from the wrapper.
  PointType result = {};
  std::vector<PointType> arguments = {};
};

/// The dependencies of the built code.
struct CustomBuilt {
  std::vector<std::uint64_t> invariants;
};

/// Replaces the body of `wrapper`, which calls the generic function with the wrapper's arguments
/// and returns its result, by the code that `generator` builds. Drops all attributes inferred from
/// the old body. Fails with bad_generator, generated_invalid_ir, no_clang; the module is unusable
/// after a failure.
Result<CustomBuilt> build_custom(llvm::Function &wrapper, const Generator &generator,
                                 const CustomPoint &point, const Symbols &symbols);

} // namespace sartor::compiler

#endif
