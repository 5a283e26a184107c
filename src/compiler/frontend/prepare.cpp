// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/prepare.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/frontend/aliases.h"
#include "compiler/frontend/analyses.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/foldable.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/analysis/pointed_to.h"
#include "compiler/frontend/left_out.h"
#include "compiler/frontend/library_math.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/target.h"
#include "core/space/module.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kHandlerAttribute = "sartor-handler";
constexpr const char *kDirectAttribute = "sartor-direct";
constexpr const char *kNativeNameAttribute = "sartor-native-name";
constexpr const char *kNativeKnownAttribute = "sartor-native-known";
constexpr const char *kHandlerAnnotation = "sartor.handler";
constexpr const char *kDirectAnnotation = "sartor.direct";
constexpr const char *kFoldAnnotation = "sartor.fold";
constexpr const char *kUnorderedAnnotation = "sartor.unordered";
constexpr const char *kFoldReadsAnnotation = "sartor.fold.reads";
constexpr const char *kAnnotations = "llvm.global.annotations";

// Functions with points are inlined until the caller has this many instructions.
constexpr unsigned kMostInlinedInstructions = 1500;

StringRef annotation_text(const Constant &row) {
  const auto *text = dyn_cast<GlobalVariable>(row.getOperand(1)->stripPointerCasts());
  const auto *data = text && text->hasInitializer()
                         ? dyn_cast<ConstantDataArray>(text->getInitializer())
                         : nullptr;
  return data && data->isCString() ? data->getAsCString() : "";
}

void drop_native_lists(Module &module) {
  for (const char *name :
       {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors", kAnnotations})
    if (GlobalVariable *list = module.getGlobalVariable(name))
      list->eraseFromParent();
}

// Leaves a declaration that refers to the program's function.
void leave_to_native(Function &function) {
  function.deleteBody();
  function.setDSOLocal(false);
}

Failure unbound(const GlobalVariable &variable, const char *why) {
  return {
      ErrorCode::unbound_global, variable.getName().str(), why,
      "embed the handler file with sartor_add_handler(), which binds it to the native one; for a "
      "device, link what `sartor device --native` writes"};
}

// Returns the functions whose code refers to a variable, also through constants.
SetVector<Function *> users_of(GlobalVariable &variable) {
  SetVector<Function *> found;
  SmallVector<User *> users(variable.users());
  SmallPtrSet<User *, 16> seen;
  while (!users.empty()) {
    User *user = users.pop_back_val();
    if (auto *instruction = dyn_cast<Instruction>(user))
      found.insert(instruction->getFunction());
    else if (seen.insert(user).second)
      users.append(user->user_begin(), user->user_end());
  }
  return found;
}

// Leaves functions with external names to the native code. For local functions, which would be
// copied along, their callers are left to the native code. Functions in `kept` keep their bodies.
void leave_to_native_with_callers(SetVector<Function *> functions,
                                  const SetVector<Function *> &kept) {
  for (unsigned i = 0; i < functions.size(); ++i) {
    Function *function = functions[i];
    if (!function->hasLocalLinkage()) {
      leave_to_native(*function);
      continue;
    }
    for (User *user : function->users())
      if (auto *instruction = dyn_cast<Instruction>(user);
          instruction && !kept.contains(instruction->getFunction()))
        functions.insert(instruction->getFunction());
  }
}

// Binds symbols as the plugin does for embedded modules, as far as names alone allow.
Result<void> bind_by_name(Module &module) {
  // For variants, a program's hidden symbols are as remote as its visible ones.
  for (GlobalValue &each : module.global_values()) {
    each.setVisibility(GlobalValue::DefaultVisibility);
    each.setDSOLocal(each.hasLocalLinkage());
  }
  keep_places_native(module);
  std::vector<Function *> handlers;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setComdat(nullptr);
    if (is_handler(function))
      handlers.push_back(&function);
    else if (function.isInterposable() || !native_only_reason(function).empty())
      leave_to_native(function);
    else if (!function.hasLocalLinkage())
      function.setLinkage(function.hasAddressTaken() || is_in_program(function)
                              ? GlobalValue::AvailableExternallyLinkage
                              : GlobalValue::InternalLinkage);
  }
  keep_pointed_to(module);
  const SetVector<Function *> kept = needed_by(handlers, {}).functions;
  SetVector<Function *> tied; // functions that use nameless variables
  for (GlobalVariable &variable : module.globals()) {
    variable.setComdat(nullptr);
    const bool is_nameless =
        variable.isThreadLocal() || (variable.hasLocalLinkage() && !variable.isConstant());
    if (is_nameless) {
      const SetVector<Function *> users = users_of(variable);
      if (llvm::any_of(users, [&](Function *user) { return kept.contains(user); }))
        return std::unexpected(
            unbound(variable, variable.isThreadLocal()
                                  ? "is a thread-local variable of a module file"
                                  : "is a static variable of a module file, which no name ties to "
                                    "the program's"));
      tied.insert(users.begin(), users.end());
    } else if (!variable.isDeclaration() && !variable.isConstant() &&
               !variable.hasAppendingLinkage()) { // the list of what is kept
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
      variable.setDSOLocal(false);
    }
  }
  leave_to_native_with_callers(std::move(tied), kept); // invariant memory may refer to them
  return {};
}

// Guards count their failures, so functions with points access memory, whatever their attributes
// say.
void forget_memory_effects(Function &function) {
  function.removeFnAttr(Attribute::Memory);
  for (User *user : function.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &function)
      call->removeFnAttr(Attribute::Memory);
}

// Makes a call by the native address, if it turns out to be one, call the copy.
void forward(Function &native, Function &copy) {
  native.setLinkage(GlobalValue::AvailableExternallyLinkage);
  native.removeFnAttr(Attribute::NoInline);
  native.addFnAttr(Attribute::AlwaysInline);
  IRBuilder<> builder(BasicBlock::Create(native.getContext(), "", &native));
  SmallVector<llvm::Value *, 8> arguments;
  for (Argument &argument : native.args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&copy, arguments);
  call->setCallingConv(copy.getCallingConv());
  const AttributeList known = copy.getAttributes();
  SmallVector<AttributeSet, 8> parameters;
  for (unsigned i = 0; i < copy.arg_size(); ++i)
    parameters.push_back(known.getParamAttrs(i));
  call->setAttributes(
      AttributeList::get(native.getContext(), AttributeSet(), known.getRetAttrs(), parameters));
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

// Uses that let the function's address out refer to the native function; calls refer to the copy
// that is specialized along.
void split_from_native(Function &function) {
  if (!function.hasAddressTaken() && !function.hasExternalLinkage() &&
      !function.hasAvailableExternallyLinkage())
    return;
  const std::string name = function.getName().str();
  function.setName(name + ".specialized");
  auto *native = Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage, name,
                                  function.getParent());
  native->setCallingConv(function.getCallingConv());
  native->setAttributes(function.getAttributes());
  native->removeFnAttr(kHandlerAttribute);
  function.replaceUsesWithIf(native,
                             [](Use &use) { return !is_by_label(use) && !stays_inside(use); });
  if (!is_handler(function) && !function.isVarArg() && !native->use_empty())
    forward(*native, function);
}

bool is_recursive(Function &function) {
  for (Function *callee : called_functions(function))
    for (Instruction &instruction : instructions(callee))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && call->getCalledFunction() == &function)
        return true;
  return false;
}

unsigned size_of(const Function &function) { return function.getInstructionCount(); }

void inline_reaching_callees(Function &caller, const SetVector<Function *> &reaching) {
  if (!shape_problem(caller).empty())
    return;
  bool changed = true;
  while (changed) {
    changed = false;
    const unsigned size = size_of(caller);
    if (size > kMostInlinedInstructions)
      return;
    for (Instruction &instruction : instructions(caller)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee == &caller || !reaching.contains(callee) || callee->isDeclaration() ||
          callee->hasFnAttribute(Attribute::NoInline) || call->isNoInline() ||
          size + size_of(*callee) > kMostInlinedInstructions || !shape_problem(*callee).empty() ||
          !may_inline(*callee, caller) || !isInlineViable(*callee).isSuccess() ||
          is_recursive(*callee))
        continue;
      InlineFunctionInfo info;
      if (InlineFunction(*call, info).isSuccess()) {
        changed = true;
        break;
      }
    }
  }
}

} // namespace

void name_handlers(Module &module) {
  const GlobalVariable *annotations = module.getGlobalVariable(kAnnotations);
  if (!annotations || !annotations->hasInitializer())
    return;
  for (const Use &row : annotations->getInitializer()->operands()) {
    const StringRef text = annotation_text(*cast<Constant>(row));
    auto *function = dyn_cast<Function>(cast<Constant>(row)->getOperand(0)->stripPointerCasts());
    if (function && text == kHandlerAnnotation)
      name_handler(*function, function->getName());
    if (function && text == kDirectAnnotation)
      make_direct(*function);
    if (function && text == kFoldAnnotation)
      function->addFnAttr(kFoldAttribute);
    if (function && text == kUnorderedAnnotation)
      function->addFnAttr(kUnorderedAttribute);
    if (function && text == kFoldReadsAnnotation)
      declare_reads(*function, *cast<Constant>(row));
  }
}

void name_handler(Function &function, StringRef name) {
  function.addFnAttr(kHandlerAttribute, name);
}

void forget_handler(Function &function) { function.removeFnAttr(kHandlerAttribute); }

bool is_direct(const Function &handler) { return handler.hasFnAttribute(kDirectAttribute); }

void make_direct(Function &handler) { handler.addFnAttr(kDirectAttribute); }

void forget_direct(Function &handler) { handler.removeFnAttr(kDirectAttribute); }

bool is_handler(const Function &function) { return function.hasFnAttribute(kHandlerAttribute); }

std::string handler_name(const Function &handler) {
  return handler.getFnAttribute(kHandlerAttribute).getValueAsString().str();
}

std::string native_name(const Function &handler) {
  return handler.getFnAttribute(kNativeNameAttribute).getValueAsString().str();
}

Function *declare_native(Function &handler) {
  if (!handler.hasFnAttribute(kNativeKnownAttribute))
    return nullptr;
  Module &module = *handler.getParent();
  const std::string name = native_name(handler);
  if (Function *declared = module.getFunction(name))
    return declared;
  auto *native =
      Function::Create(handler.getFunctionType(), GlobalValue::ExternalLinkage, name, module);
  native->setCallingConv(handler.getCallingConv());
  return native;
}

Result<void> adopt_file_module(Module &module) {
  resolve_aliases(module);
  name_handlers(module);
  read_signatures(module);
  drop_native_lists(module);
  leave_out_native_hooks(module, {});
  module.setModuleInlineAsm("");
  if (auto raised = raise_marks(module); !raised)
    return raised;
  return bind_by_name(module);
}

void prepare(Module &module, bool native_known) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (const std::string reason = native_only_reason(function); !reason.empty()) {
      keep_native(function, reason);
      leave_to_native(function);
    }
  }
  target_this_machine(module);
  call_library_math(module);
  SetVector<Function *> reaching = functions_reaching_points(module, [](const Function &function) {
    return function.hasAvailableExternallyLinkage() && is_worth_sharing(function);
  });
  for (Function &function : module)
    if (is_handler(function)) {
      const bool leads = native_known && is_direct(function);
      function.addFnAttr(kNativeNameAttribute,
                         function.getName().str() + (leads ? core::kNativeSuffix : ""));
      if (leads) // the section that a direct call has begun ends behind the variant's code
        function.addFnAttr(Attribute::FnRetThunkExtern);
      if (native_known)
        function.addFnAttr(kNativeKnownAttribute);
      if (!function.isDeclaration())
        reaching.insert(&function);
    }
  for (Function *function : reaching) {
    forget_memory_effects(*function);
    split_from_native(*function);
    function->setLinkage(GlobalValue::InternalLinkage);
    function->setDSOLocal(true);
  }
  for (Function *function : reaching)
    if (!is_call_point(*function))
      inline_reaching_callees(*function, reaching);
}

namespace {

constexpr const char *kPasses =
    "always-inline,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)"
    ",globaldce";

// With -O0, clang forbids optimization of every function.
void permit_optimisation(Module &module) {
  for (Function &function : module)
    if (function.hasOptNone()) {
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
}

} // namespace

void simplify(Module &module) {
  permit_optimisation(module);
  PassBuilder builder;
  Analyses analyses(builder);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, kPasses));
  passes.run(module, analyses.modules);
}

} // namespace sartor::compiler
