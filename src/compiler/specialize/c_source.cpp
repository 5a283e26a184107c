// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/c_source.h"

#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/host.h"
#include "compiler/frontend/read_module.h"
#include "compiler/specialize/clang.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kLinked = "sartor.c_source";

std::string text_of(const Type &type) {
  std::string text;
  raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

// Takes the target attributes of the module that it is linked into, so that it can be inlined.
void take_machine_from(const Function &like, Module &module) {
  for (Function &function : module) {
    for (const char *name : {"target-cpu", "target-features", "tune-cpu"}) {
      function.removeFnAttr(name);
      if (like.hasFnAttribute(name))
        function.addFnAttr(like.getFnAttribute(name));
    }
  }
}

void make_own(Module &module) {
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage() && !value.hasAppendingLinkage()) {
      value.setLinkage(GlobalValue::InternalLinkage);
      if (auto *object = dyn_cast<GlobalObject>(&value))
        object->setComdat(nullptr);
    }
}

} // namespace

Result<Function *> link_c_source(Function &wrapper, const Builder::CSource &source,
                                 const std::string &label) {
  const auto failed = [&](std::string message, std::string remedy) {
    return std::unexpected(
        Failure{ErrorCode::bad_generator, label, std::move(message), std::move(remedy)});
  };
  std::vector<std::string> flags{"--target=" + compiler::host().triple.str()};
  flags.insert(flags.end(), source.flags.begin(), source.flags.end());
  auto bitcode = compile_c(source.text, flags, label);
  if (!bitcode)
    return std::unexpected(std::move(bitcode.error()));
  Module &module = *wrapper.getParent();
  auto compiled = compiler::read_module(*bitcode, label, wrapper.getContext());
  if (!compiled)
    return std::unexpected(std::move(compiled.error()));

  Function *function = (*compiled)->getFunction(source.function);
  if (!function || function->isDeclaration())
    return failed("its C source does not define the function \"" + source.function + '"',
                  "name the function that has the point's arguments and result");
  if (function->getFunctionType() != wrapper.getFunctionType())
    return failed("its C function has the type " + text_of(*function->getFunctionType()) +
                      ", the point's is " + text_of(*wrapper.getFunctionType()),
                  "give it the arguments and the result of the point's own function");
  take_machine_from(wrapper, **compiled);
  make_own(**compiled);
  // The linker only links definitions that are visible outside of their module.
  std::string name = kLinked;
  for (unsigned i = 1; module.getNamedValue(name); ++i)
    name = kLinked + ("." + std::to_string(i));
  function->setName(name);
  function->setLinkage(GlobalValue::ExternalLinkage);
  for (const char *clashing : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *node = (*compiled)->getNamedMetadata(clashing))
      node->eraseFromParent();
  (*compiled)->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(*compiled)))
    return failed("its C source cannot be linked with the handlers", "see the event log");
  Function *linked = module.getFunction(name);
  linked->setLinkage(GlobalValue::InternalLinkage);
  return linked;
}

} // namespace sartor::compiler
