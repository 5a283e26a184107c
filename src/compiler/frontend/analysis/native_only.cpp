// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/native_only.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/clone.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kNativeOnlyAttribute = "sartor-native-only";

// Hardening attributes whose generated code refers to a run-time library of the program, or to data
// in front of each function.
struct Hardening {
  bool present;
  const char *reason;
};

std::string hardening_of(const Function &function) {
  const Hardening known[] = {
      {function.hasFnAttribute("split-stack"), "the function is compiled with -fsplit-stack"},
      {function.hasFnAttribute(Attribute::SafeStack),
       "the function is compiled with -fsanitize=safe-stack"},
      {function.hasMetadata(LLVMContext::MD_kcfi_type),
       "the function is compiled with -fsanitize=kcfi"}};
  for (const Hardening &hardening : known)
    if (hardening.present)
      return hardening.reason;
  return "";
}

// Returns the reason if the function, or a callee, looks at its caller: a variant belongs to no
// shared object, or to another one.
std::string caller_problem(const Function &function) {
  const auto calls = [&](const Function &called) {
    return any_of(called.users(), [&](const User *user) {
      const auto *call = dyn_cast<CallBase>(user);
      return call && call->getCalledFunction() == &called && call->getFunction() == &function;
    });
  };
  const Module &module = *function.getParent();
  for (const char *name : kCallerSensitive)
    if (const Function *called = module.getFunction(name);
        called && called->isDeclaration() && calls(*called))
      return "the function calls " + std::string(name) + "(), which looks at who calls it";
  const Function *intrinsic = module.getFunction(Intrinsic::getName(Intrinsic::returnaddress));
  if (!intrinsic)
    return "";
  for (const User *user : intrinsic->users()) {
    const auto *question = cast<CallBase>(user);
    const Function *asking = question->getFunction();
    if (asking == &function && !cast<Constant>(question->getArgOperand(0))->isNullValue())
      return "the function looks at who calls its callers";
    if (calls(*asking))
      return "the function calls " + asking->getName().str() + "(), which looks at who calls it";
  }
  return "";
}

bool is_of_a_word(char c) { return isAlnum(c) || c == '_' || c == '.'; }

/// Calls `visit` for each directive of inline assembly that chooses a section, with the word that
/// follows it.
template <class Visit> void for_each_section_directive(StringRef assembly, Visit visit) {
  static constexpr StringRef kDirectives[] = {".section",  ".pushsection", ".popsection",
                                              ".previous", ".subsection",  ".data",
                                              ".text",     ".bss"};
  while (!assembly.empty()) {
    assembly = assembly.drop_until(is_of_a_word);
    const StringRef word = assembly.take_while(is_of_a_word);
    assembly = assembly.drop_front(word.size());
    if (any_of(kDirectives, [&](StringRef each) { return word.equals_insensitive(each); }))
      visit(word, assembly.ltrim(" \t\"").take_while(is_of_a_word));
  }
}

bool is_of_probes(StringRef section) {
  return section == ".note.stapsdt" || section == ".stapsdt.base" || section == ".probes";
}

// Returns the first directive that selects a section other than those of probes; empty if there is
// none.
StringRef section_directive(StringRef assembly) {
  StringRef found;
  bool is_in_probe = false;
  for_each_section_directive(assembly, [&](StringRef directive, StringRef section) {
    const bool ends =
        directive.equals_insensitive(".popsection") || directive.equals_insensitive(".previous");
    is_in_probe = ends ? is_in_probe : is_of_probes(section);
    if (!is_in_probe && found.empty())
      found = directive;
  });
  return found;
}

} // namespace

std::string native_only_reason(const Function &function) {
  if (function.hasFnAttribute(kNativeOnlyAttribute))
    return function.getFnAttribute(kNativeOnlyAttribute).getValueAsString().str();
  if (function.isPresplitCoroutine())
    return "the function is a coroutine";
  if (std::string hardening = hardening_of(function); !hardening.empty())
    return hardening;
  if (std::string problem = copy_problem(function); !problem.empty())
    return problem;
  return caller_problem(function);
}

void keep_native(Function &function, StringRef why) {
  function.addFnAttr(kNativeOnlyAttribute, why);
}

void keep_places_native(Module &module) {
  for (Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly)
        continue;
      if (const StringRef directive = section_directive(assembly->getAsmString());
          !directive.empty())
        keep_native(function, "the function's inline assembly notes its place in a section (" +
                                  directive.str() + ")");
    }
}

bool has_probe(const InlineAsm &assembly) {
  bool found = false;
  for_each_section_directive(assembly.getAsmString(), [&](StringRef, StringRef section) {
    found = found || section == ".note.stapsdt";
  });
  return found;
}

std::string shape_problem(const Function &function) {
  if (std::string reason = native_only_reason(function); !reason.empty())
    return reason;
  for (const BasicBlock &block : function) {
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()))
      return "the function has a computed goto";
    if (isa<CallBrInst>(block.getTerminator()))
      return "the function has an inline-assembly jump";
  }
  for (const Instruction &instruction : instructions(function)) {
    if (instruction.getType()->isTokenTy())
      return "the function has a value that cannot flow between two copies of the code";
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    if (call->hasFnAttr(Attribute::ReturnsTwice))
      return "the function calls setjmp or the like";
    if (call->cannotDuplicate())
      return "the function has a call that must not be duplicated";
  }
  return "";
}

} // namespace sartor::compiler
