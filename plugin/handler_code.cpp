// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handler_code.h"

#include <llvm/ADT/STLExtras.h>

#include "point/prepare.h"

namespace sartor::plugin {

using namespace llvm;

namespace {

// The functions of points.h that stand for a mark.
constexpr const char *kMarks[] = {"sartor_point_", "sartor_call_point_", "sartor_assert_const_"};

} // namespace

bool holds_handler_code(const Module &module) {
  return any_of(kMarks, [&](const char *mark) { return module.getFunction(mark); }) ||
         any_of(module, [](const Function &function) {
           return point::is_handler(function) || function.hasFnAttribute(point::kFoldAttribute);
         });
}

} // namespace sartor::plugin
