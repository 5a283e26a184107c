// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assembly.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/frontend/analysis/native_only.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool is_of_a_name(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

template <class Visit> void for_each_word(StringRef text, Visit visit) {
  while (!text.empty()) {
    text = text.drop_until(is_of_a_name);
    const StringRef word = text.take_while(is_of_a_name);
    visit(word);
    text = text.drop_front(word.size());
  }
}

StringRef assembly_of(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly ? assembly->getAsmString() : StringRef();
}

} // namespace

bool names(StringRef assembly, StringRef symbol) {
  bool found = false;
  for_each_word(assembly, [&](StringRef word) { found |= word == symbol; });
  return found;
}

std::vector<GlobalValue *> follow_assembly(Module &bitcode, Module &native) {
  compiler::keep_places_native(bitcode);
  SetVector<GlobalValue *> named;
  for (Function &function : bitcode)
    for (const Instruction &instruction : instructions(function))
      for_each_word(assembly_of(instruction), [&](StringRef word) {
        GlobalValue *value = native.getNamedValue(word);
        if (value && value->hasLocalLinkage())
          compiler::keep_native(function, "the function's inline assembly names " + word.str() +
                                              ", which is static");
        else if (value)
          named.insert(value);
      });
  return {named.begin(), named.end()};
}

} // namespace sartor::compiler
