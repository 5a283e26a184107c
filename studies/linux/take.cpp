// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// take FUNCTIONS LOCALS NATIVE PREFIX INPUT.bc OUTPUT.bc: leaves of one file of the kernel what a
/// handler module needs: the functions that are listed in FUNCTIONS, inline functions of headers,
/// and static functions that the native object does not have. All else becomes a declaration, and
/// variants refer to the kernel's own by name.
///
/// LOCALS has the names that several objects have as local symbols. NATIVE has the symbols of the
/// native object, as lines of `nm`. Prints a line `OLD NEW` for each local symbol of that object
/// that must become global, and `+ NAME BYTES` for a variable that no object has.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/ToolOutputFile.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

namespace {

using namespace llvm;

std::set<std::string> words_of(const char *file) {
  std::ifstream stream(file);
  std::set<std::string> words;
  for (std::string word; stream >> word;)
    words.insert(word);
  return words;
}

/// The letters of `nm`, by symbol.
std::map<std::string, char> symbols_of(const char *file) {
  std::ifstream stream(file);
  std::map<std::string, char> symbols;
  std::string address;
  std::string name;
  for (char letter = 0; stream >> address >> letter >> name;)
    symbols.emplace(name, letter);
  return symbols;
}

class Taker {
public:
  Taker(Module &module, const std::set<std::string> &taken, const std::set<std::string> &locals,
        const std::map<std::string, char> &native, std::string prefix)
      : module_(module), taken_(taken), locals_(locals), native_(native),
        prefix_(std::move(prefix)) {}

  void run() {
    module_.setModuleInlineAsm("");
    for (const char *list : {"llvm.used", "llvm.compiler.used"})
      if (GlobalVariable *variable = module_.getGlobalVariable(list))
        variable->eraseFromParent();
    declare_aliases();
    for (Function &function : module_)
      if (!function.isDeclaration())
        take(function);
    for (GlobalVariable &variable : module_.globals())
      if (!variable.isDeclaration() && !variable.getName().starts_with("llvm."))
        take(variable);
    ModuleAnalysisManager analyses;
    PassBuilder().registerModuleAnalyses(analyses);
    GlobalDCEPass().run(module_, analyses);
    for (GlobalVariable &variable : module_.globals())
      if (variable.hasLocalLinkage() && !variable.isConstant())
        add(variable);
    for (GlobalObject &object : module_.global_objects())
      if (!object.hasLocalLinkage())
        share(object);
  }

private:
  void declare_aliases() {
    SmallVector<GlobalAlias *, 8> aliases;
    for (GlobalAlias &alias : module_.aliases())
      aliases.push_back(&alias);
    for (GlobalAlias *alias : aliases) {
      auto *type = dyn_cast<FunctionType>(alias->getValueType());
      GlobalValue *instead = nullptr;
      if (type)
        instead = Function::Create(type, GlobalValue::ExternalLinkage, "", module_);
      else
        instead = new GlobalVariable(module_, alias->getValueType(), false,
                                     GlobalValue::ExternalLinkage, nullptr);
      instead->takeName(alias);
      alias->replaceAllUsesWith(instead);
      alias->eraseFromParent();
    }
  }

  [[nodiscard]] bool is_native(const GlobalValue &value) const {
    return native_.contains(value.getName().str());
  }

  void take(Function &function) {
    const bool is_taken = taken_.contains(function.getName().str());
    const bool is_inline = function.hasFnAttribute(Attribute::AlwaysInline) ||
                           function.hasFnAttribute(Attribute::InlineHint);
    if (!is_taken && is_inline) // simplified with its callers, before they are specialized
      function.addFnAttr(Attribute::AlwaysInline);
    if (!is_taken && (is_inline || (function.hasLocalLinkage() && !is_native(function))))
      return;
    const bool was_local = function.hasLocalLinkage();
    if (!is_taken)
      function.deleteBody();
    else if (taken_.contains("!" + function.getName().str()))
      function.addFnAttr(Attribute::AlwaysInline);
    if (was_local && !is_native(function))
      return; // taken, and inlined natively
    function.setLinkage(GlobalValue::ExternalLinkage);
  }

  void take(GlobalVariable &variable) {
    if (variable.hasLocalLinkage() && (variable.isConstant() || !is_native(variable)))
      return;
    variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    variable.setComdat(nullptr);
  }

  /// A static variable of inline code that the native object has optimized away.
  void add(GlobalVariable &variable) {
    if (!variable.getInitializer()->isNullValue())
      report_fatal_error(Twine(variable.getName()) + " has no native variable, and is not zero");
    variable.setName(prefix_ + "." + variable.getName());
    std::cout << "+ " << variable.getName().str() << ' '
              << module_.getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue()
              << '\n';
    variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
  }

  /// Has the native symbol made global, under a name that no other object has.
  void share(GlobalValue &value) {
    value.setVisibility(GlobalValue::DefaultVisibility);
    const std::string name = value.getName().str();
    const auto symbol = native_.find(name);
    if (symbol == native_.end() || std::isupper(static_cast<unsigned char>(symbol->second)) != 0)
      return;
    const std::string shared = locals_.contains(name) ? prefix_ + "." + name : name;
    value.setName(shared);
    std::cout << name << ' ' << shared << '\n';
  }

  Module &module_;
  const std::set<std::string> &taken_, &locals_;
  const std::map<std::string, char> &native_;
  std::string prefix_;
};

} // namespace

int main(int count, char **words) {
  if (count != 7) {
    std::cerr << "usage: take FUNCTIONS LOCALS NATIVE PREFIX INPUT.bc OUTPUT.bc\n";
    return EXIT_FAILURE;
  }
  LLVMContext context;
  SMDiagnostic problem;
  const auto module = parseIRFile(words[5], problem, context);
  if (!module) {
    problem.print(words[0], errs());
    return EXIT_FAILURE;
  }
  Taker(*module, words_of(words[1]), words_of(words[2]), symbols_of(words[3]), words[4]).run();
  std::error_code failed;
  ToolOutputFile output(words[6], failed, sys::fs::OF_None);
  if (failed) {
    std::cerr << words[6] << ": " << failed.message() << '\n';
    return EXIT_FAILURE;
  }
  WriteBitcodeToFile(*module, output.os());
  output.keep();
  return EXIT_SUCCESS;
}
