// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwinder.h"

#include <llvm/ADT/STLExtras.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

// The functions that generated code calls, and that the runtime uses to register code with the
// unwinder.
constexpr const char *kNames[] = {"_Unwind_Resume", "__register_frame", "__deregister_frame"};

bool lets_exceptions_pass(const Module &native) {
  return any_of(native, [](const Function &function) {
    return !function.isDeclaration() && !function.doesNotThrow();
  });
}

} // namespace

void bind_unwinder(std::vector<Binding> &bindings, Module &native) {
  if (!lets_exceptions_pass(native))
    return;
  auto *type = FunctionType::get(Type::getVoidTy(native.getContext()), /*isVarArg=*/false);
  for (const char *name : kNames) {
    if (any_of(bindings, [&](const Binding &binding) { return binding.name == name; }))
      continue;
    const bool is_known = native.getNamedValue(name) != nullptr;
    auto *function = cast<GlobalValue>(native.getOrInsertFunction(name, type).getCallee());
    if (!is_known)
      function->setLinkage(GlobalValue::ExternalWeakLinkage);
    bindings.push_back({name, function, nullptr});
  }
}

} // namespace sartor::compiler
