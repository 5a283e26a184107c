// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/publish.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "base/hash.h"
#include "compiler/frontend/context.h"
#include "compiler/frontend/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/read_module.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Constants whose addresses are insignificant, such as literals, may exist once in each half.
bool wants_name(const GlobalValue &value) {
  return value.hasLocalLinkage() && !value.isThreadLocal() && !value.hasGlobalUnnamedAddr() &&
         !value.getName().starts_with("llvm.");
}

std::string bitcode_of(const Module &module) {
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  return bitcode;
}

} // namespace

Result<core::Published> publish(const std::string &name, const std::string &content) {
  Context context;
  auto module = read_module(content, name, context);
  if (!module)
    return std::unexpected(std::move(module.error()));
  constexpr std::size_t enough = 12;
  const std::string suffix = ".of." + base::to_text(base::hash_of({content})).substr(0, enough);
  name_handlers(**module);
  for (GlobalValue &value : (*module)->global_values())
    if (wants_name(value)) {
      const auto *function = dyn_cast<Function>(&value);
      if (function == nullptr || !is_handler(*function)) // programs look handlers up by name
        value.setName(value.getName() + suffix);
      value.setLinkage(GlobalValue::ExternalLinkage);
      value.setVisibility(GlobalValue::HiddenVisibility);
    }
  core::Published published;
  const std::unique_ptr<Module> native = CloneModule(**module);
  erase_marks(*native);
  published.native = bitcode_of(*native);
  for (GlobalVariable &variable : (*module)->globals())
    if (variable.isConstant() && variable.hasExternalLinkage() && variable.hasInitializer())
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
  published.module = bitcode_of(**module);
  return published;
}

} // namespace sartor::compiler
