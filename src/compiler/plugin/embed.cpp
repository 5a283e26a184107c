// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <string>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <sartor/module.h>

#include "bind.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/foldable.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/analysis/pointed_to.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/kernel/kernel.h"
#include "compiler/frontend/kernel/map_writes.h"
#include "compiler/frontend/left_out.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/labels.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/pass_plugin.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/section.h"
#include "compiler/plugin/declared/declared_code.h"
#include "compiler/plugin/declared/foreign.h"
#include "compiler/plugin/halves.h"
#include "compiler/plugin/write_guards/guard.h"
#include "direct.h"
#include "sections.h"

/// \file
/// The compiler plugin. One compilation of a handler file produces both halves. Before
/// optimization, a copy of the module becomes the bitcode that is embedded in the object file, with
/// the table of the addresses it refers to. The marks are removed from the original module, and it
/// is compiled to the generic native code as usual.

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Keeps constant tables of functions that the native half defines, such as virtual tables, if
/// handlers call by pointer: an object may point to a table that the handlers' code does not name.
void keep_tables(Module &bitcode, const Module &native) {
  if (!compiler::calls_by_pointer(bitcode))
    return;
  SmallVector<GlobalValue *> tables;
  for (GlobalVariable &variable : bitcode.globals()) {
    const GlobalValue *original = native.getNamedValue(variable.getName());
    if (original && !original->isDeclarationForLinker() &&
        compiler::is_table_of_functions(variable))
      tables.push_back(&variable);
  }
  appendToCompilerUsed(bitcode, tables);
}

/// Keeps functions that a handler of another file may call.
void keep_functions(Module &bitcode, const Module &native) {
  SmallVector<GlobalValue *> functions;
  for (Function &function : bitcode) {
    const Function *original = native.getFunction(function.getName());
    if (!function.isDeclaration() && original && original->hasExternalLinkage() &&
        compiler::native_only_reason(function).empty())
      functions.push_back(&function);
  }
  appendToCompilerUsed(bitcode, functions);
}

// The functions that generated code calls, and that the runtime uses to register code with the
// unwinder.
constexpr const char *kUnwinderFunctions[] = {"_Unwind_Resume", "__register_frame",
                                              "__deregister_frame"};

bool lets_exceptions_pass(const Module &native) {
  return llvm::any_of(native, [](const Function &function) {
    return !function.isDeclaration() && !function.doesNotThrow();
  });
}

/// Binds the functions of the program's own unwinder, if handlers may let exceptions pass: a
/// statically linked unwinder does not know code that was registered with another one. The
/// functions may be missing; no library is linked for them.
void bind_unwinder(std::vector<Binding> &bindings, Module &native) {
  if (!lets_exceptions_pass(native))
    return;
  auto *type = FunctionType::get(Type::getVoidTy(native.getContext()), /*isVarArg=*/false);
  for (const char *name : kUnwinderFunctions) {
    if (llvm::any_of(bindings, [&](const Binding &binding) { return binding.name == name; }))
      continue;
    const bool is_known = native.getNamedValue(name) != nullptr;
    auto *function = cast<GlobalValue>(native.getOrInsertFunction(name, type).getCallee());
    if (!is_known)
      function->setLinkage(GlobalValue::ExternalWeakLinkage);
    bindings.push_back({name, function, nullptr});
  }
}

constexpr const char *kSymbolTable = "sartor.symbols";
constexpr const char *kFoldableTable = "sartor.foldables";

void report(Module &module, const Failure &failure) {
  module.getContext().emitError("sartor: " + failure.text());
}

bool marks_are_well_formed(Module &native, Module &bitcode) {
  const std::vector<Failure> mistakes = compiler::mistakes_in_marks(bitcode);
  for (const Failure &mistake : mistakes)
    report(native, mistake);
  return mistakes.empty();
}

Constant *make_symbol_table(Module &module, const std::vector<Binding> &bindings) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  auto *row = StructType::get(pointer, pointer, pointer);
  auto *nothing = ConstantPointerNull::get(pointer);
  std::vector<Constant *> rows;
  rows.reserve(bindings.size());
  for (const Binding &binding : bindings)
    rows.push_back(ConstantStruct::get(row, make_string(module, binding.name), binding.native,
                                       binding.own ? binding.own : nothing));
  return ConstantArray::get(ArrayType::get(row, rows.size()), rows);
}

/// Registers the modules when the program or library is loaded, if a listener is linked: the
/// function may be missing. See sartor/module.h.
void make_registration(Module &module) {
  auto *nothing = Type::getVoidTy(module.getContext());
  auto *constructor = Function::Create(FunctionType::get(nothing, /*isVarArg=*/false),
                                       GlobalValue::InternalLinkage, "sartor.register", module);
  call_if_heard(*constructor, "sartor_register_modules",
                {make_bound(module, "__start_sartor_modules"),
                 make_bound(module, "__stop_sartor_modules"), constructor});
  constexpr int by_default = 65535;
  appendToGlobalCtors(module, constructor, by_default);
}

/// Creates rows of sartor_foldable.
Constant *make_foldables(Module &native, const Module &bitcode,
                         const std::vector<Binding> &bindings, unsigned &count) {
  LLVMContext &context = native.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *word = Type::getInt64Ty(context);
  auto *row = StructType::get(pointer, pointer, pointer, word, pointer);
  const auto table = [&](Constant *contents, const char *name) {
    return make_global(native, contents, name, ".data.rel.ro.sartor");
  };
  std::vector<Constant *> rows;
  for (const Function &function : bitcode) {
    if (!function.hasFnAttribute(compiler::kFoldAttribute))
      continue;
    const auto foldable = compiler::foldable_of(function);
    const auto binding = std::ranges::find(bindings, function.getName(), &Binding::name);
    if (!foldable || binding == bindings.end())
      continue;
    std::string types(1, static_cast<char>(foldable->result));
    for (const auto type : foldable->arguments)
      types += static_cast<char>(type);
    Constant *extents = ConstantPointerNull::get(pointer);
    if (foldable->extents) {
      std::vector<std::uint64_t> words;
      for (const sartor_extent &extent : *foldable->extents)
        words.insert(words.end(), {extent.bytes, extent.count});
      words.resize(std::max<std::size_t>(words.size(), 2));
      extents = table(ConstantDataArray::get(context, words), "sartor.extents");
    }
    rows.push_back(ConstantStruct::get(
        row, make_string(native, foldable->name), binding->native,
        table(ConstantDataArray::getString(context, types, false), "sartor.types"),
        ConstantInt::get(word, foldable->arguments.size()), extents));
  }
  count = static_cast<unsigned>(rows.size());
  if (rows.empty())
    return ConstantPointerNull::get(pointer);
  return table(ConstantArray::get(ArrayType::get(row, rows.size()), rows), kFoldableTable);
}

void embed(Module &native, const Module &module, const std::string &bitcode,
           const std::vector<Binding> &bindings) {
  LLVMContext &context = native.getContext();
  auto *word = Type::getInt64Ty(context);
  auto *blob =
      make_global(native, ConstantDataArray::getString(context, compiler::framed(bitcode), false),
                  "sartor.bitcode", compiler::kBitcodeSection);
  auto *symbols =
      make_global(native, make_symbol_table(native, bindings), kSymbolTable, ".data.rel.ro.sartor");
  unsigned foldable_count = 0;
  Constant *foldables = make_foldables(native, module, bindings, foldable_count);
  Constant *code = ConstantExpr::getGetElementPtr(
      Type::getInt8Ty(context), blob, ConstantInt::get(word, compiler::kFrameHeaderSize));
  auto *descriptor =
      make_global(native,
                  ConstantStruct::getAnon({ConstantInt::get(word, SARTOR_MODULE_VERSION),
                                           make_string(native, native.getSourceFileName()), code,
                                           ConstantInt::get(word, bitcode.size()), symbols,
                                           ConstantInt::get(word, bindings.size()), foldables,
                                           ConstantInt::get(word, foldable_count)}),
                  "sartor.module", compiler::kDescriptorSection);
  appendToUsed(native, {blob, symbols, descriptor});
  make_registration(native);
}

/// In a kernel object, the bitcode is in a section that loaders ignore. Both halves contain all
/// code and data, so no addresses need to be known.
void embed_for_kernel(Module &native) {
  compiler::keep_kernel_places(native);
  const std::unique_ptr<Module> bitcode = compiler::clone_module(native);
  if (auto adopted = compiler::adopt_kernel_module(*bitcode); !adopted)
    return report(native, adopted.error());
  if (!marks_are_well_formed(native, *bitcode))
    return;
  auto *blob =
      make_global(native,
                  ConstantDataArray::getString(
                      native.getContext(), compiler::framed(compiler::bitcode_of(*bitcode)), false),
                  "sartor.bitcode", compiler::kBitcodeSection);
  appendToCompilerUsed(native, {blob});
  compiler::erase_marks(native);
}

bool is_of_clang(const Module &module) {
  const NamedMDNode *makers = module.getNamedMetadata("llvm.ident");
  return makers && llvm::any_of(makers->operands(), [](const MDNode *maker) {
           const auto *name = dyn_cast<MDString>(maker->getOperand(0));
           return name && name->getString().contains("clang version");
         });
}

// Without the front end's record, the halves of an __int128 would look like two parameters, and an
// empty structure like none: an empty record says that nothing is known.
void doubt_signatures(Module &native) {
  LLVMContext &context = native.getContext();
  for (Function &function : native)
    if (compiler::is_handler(function) && !compiler::written_signature(function))
      compiler::set_signature(function, MDNode::get(context, MDString::get(context, "")));
}

struct EmbedPass : PassInfoMixin<EmbedPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  PreservedAnalyses run(Module &native, ModuleAnalysisManager &) {
    compiler::name_handlers(native);
    if (holds_handler_code(native))
      embed_handlers(native);
    choose_lines_of_native(native);
    return PreservedAnalyses::none();
  }

private:
  static void embed_handlers(Module &native) {
    if (compiler::is_for_kernel(native))
      return embed_for_kernel(native);
    compiler::read_signatures(native);
    if (!kPassPluginsMeetFrontEnd && !front_end_takes_part() && is_of_clang(native))
      doubt_signatures(native);
    ValueToValueMapTy copies;
    const std::unique_ptr<Module> bitcode = compiler::clone_module(native, copies);
    const Originals originals(native, copies);
    compiler::leave_out_native_hooks(*bitcode, counted_by_late_passes());
    if (auto raised = compiler::raise_marks(*bitcode); !raised) {
      report(native, raised.error());
      return;
    }
    const std::string suffix = local_suffix(*bitcode);
    detach(*bitcode, native, originals, suffix);
    keep_tables(*bitcode, native);
    if (is_in_handler_module())
      keep_functions(*bitcode, native);
    choose_lines_of_bitcode(*bitcode);
    compiler::simplify(*bitcode);
    compiler::release_kept(*bitcode);
    if (!marks_are_well_formed(native, *bitcode))
      return;
    std::vector<Binding> bindings = bind(*bitcode, native, originals, suffix);
    bind_unwinder(bindings, native);
    route_direct_calls(*bitcode, native, originals, bindings);

    embed(native, *bitcode, compiler::bitcode_of(*bitcode), bindings);
    compiler::erase_marks(native);
  }
};

/// Runs after optimization. In a kernel object, code that changes maps is then visible, and its
/// writes are guarded. Otherwise, declarations that only the tables refer to become weak: a symbol
/// that is declared and never defined, so that linking fails unless its use is optimised away, may
/// then be missing.
struct LoosenPass : PassInfoMixin<LoosenPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  PreservedAnalyses run(Module &native, ModuleAnalysisManager &analyses) {
    if (compiler::is_for_kernel(native)) {
      compiler::guard_map_writes(native);
      return PreservedAnalyses::none();
    }
    std::vector<const Constant *> tables;
    for (const char *name : {kSymbolTable, kFoldableTable})
      if (const GlobalVariable *table = native.getNamedGlobal(name))
        tables.push_back(table->getInitializer());
    if (tables.empty())
      return PreservedAnalyses::all();
    write_direct_stubs(native);
    auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(native).getManager();
    for (GlobalObject &object : native.global_objects())
      if (object.isDeclaration() && object.hasExternalLinkage() && !object.isThreadLocal() &&
          is_named_by(object, tables) && !may_be_called_yet(object, functions))
        object.setLinkage(GlobalValue::ExternalWeakLinkage);
    return PreservedAnalyses::all();
  }

private:
  static bool is_named_by(const GlobalObject &object, const std::vector<const Constant *> &tables) {
    return !object.use_empty() && all_of(object.users(), [&](const User *row) {
      return isa<ConstantStruct>(row) &&
             all_of(row->users(), [&](const User *user) { return is_contained(tables, user); });
    });
  }

  // LLVM may still insert calls of functions of the C library.
  static bool may_be_called_yet(GlobalObject &object, FunctionAnalysisManager &analyses) {
    auto *function = dyn_cast<Function>(&object);
    LibFunc known{};
    return function &&
           (function->isIntrinsic() ||
            analyses.getResult<TargetLibraryAnalysis>(*function).getLibFunc(*function, known));
  }
};

} // namespace

} // namespace sartor::compiler

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "sartor", "1", [](llvm::PassBuilder &builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
                  passes.addPass(sartor::compiler::AdoptPass());
                  passes.addPass(sartor::compiler::DeclarePass());
                  passes.addPass(sartor::compiler::GuardPass());
                  passes.addPass(sartor::compiler::EmbedPass());
                });
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager &passes, llvm::OptimizationLevel, const auto &...) {
                  passes.addPass(sartor::compiler::LoosenPass());
                });
          }};
}
