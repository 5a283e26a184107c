// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/exact_floats.h"

#include <utility>
#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace sartor::point {

using namespace llvm;

namespace {

constexpr const char *kReason =
    "the handler is compiled with -ffast-math or the like, and floats are to be exact";

bool is_loose(const Instruction &instruction) {
  const auto *operation = dyn_cast<FPMathOperator>(&instruction);
  return operation && (operation->hasAllowReassoc() || operation->hasAllowReciprocal() ||
                       operation->hasApproxFunc());
}

} // namespace

bool has_loose_floats(Function &handler, References &references) {
  return llvm::any_of(reachable_functions(handler, references), [](const Function *function) {
    return any_of(instructions(*function), is_loose);
  });
}

void keep_floats_exact(HandlerModule &module) {
  for (HandlerModule::Handler &handler : module.handlers)
    if (handler.has_loose_floats && handler.native_only.empty())
      handler.native_only = kReason;
  const auto is_native = [&](const std::string &name) {
    return llvm::any_of(module.handlers, [&](const HandlerModule::Handler &handler) {
      return handler.name == name && !handler.native_only.empty();
    });
  };
  std::vector<Point> points = module.space.points();
  for (Point &point : points)
    if (std::erase_if(point.handlers, is_native) != 0 && point.handlers.empty())
      for (Site &site : point.sites)
        if (site.problem.empty())
          site.problem = kReason;
  module.space = Space(std::move(points));
}

} // namespace sartor::point
