// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/bind.h"

#include <string>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Support/xxhash.h>

#include "assembly.h"
#include "compiler/frontend/aliases.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

Originals::Originals(Module &native, const ValueToValueMapTy &copies) {
  for (GlobalValue &value : native.global_values())
    if (auto found = copies.find(&value); found != copies.end() && found->second)
      pairs_.emplace_back(WeakVH(found->second), &value);
}

DenseMap<const GlobalValue *, GlobalValue *> Originals::living() const {
  DenseMap<const GlobalValue *, GlobalValue *> found;
  for (const auto &[copy, original] : pairs_)
    if (const llvm::Value *value = copy)
      found[cast<GlobalValue>(value)] = original;
  return found;
}

std::string local_suffix(const Module &module) {
  return ".sartor." + utohexstr(xxh3_64bits(compiler::bitcode_of(module)), /*LowerCase=*/true);
}

namespace {

/// The place and lifetime of the object that a name in the bitcode refers to.
enum class Home {
  /// In the native half, for the program's lifetime: the bitcode has a declaration.
  native,
  /// As native, and the bitcode includes the contents, for folding and inlining.
  native_with_contents,
  /// In each variant, for its lifetime: only objects whose addresses do not leave the variant.
  variant
};

// True for labels, file names and lists of choices, which disappear with the marks. (Objects that a
// list of choices points to belong to code.)
bool belongs_to_marks(const GlobalVariable &variable) {
  return all_of(variable.users(), [](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    return instruction && compiler::is_mark(*instruction);
  });
}

// A table of labels moves with the copy of the code that contains the labels. Code that lets a
// label out of its function is native only (compiler/frontend/analysis/native_only.h).
bool belongs_to_code(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && variable.hasInitializer() &&
         compiler::holds_labels(*variable.getInitializer());
}

// A table that the optimizer has made from a switch belongs to the code that reads it.
bool belongs_to_optimiser(const GlobalVariable &variable, const GlobalValue *original) {
  return !original && variable.hasLocalLinkage() && variable.isConstant();
}

// A table of another file may refer to symbols that are not accessible in this one.
bool has_known_contents(const GlobalVariable &variable, const GlobalValue *original) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() &&
         ((original && !original->isDeclarationForLinker()) ||
          !variable.getInitializer()->needsRelocation());
}

/// For a variable of the optimised copy of a module. `original` is the same variable of the native
/// half, or null if the optimizer has created it.
Home home_of(const GlobalVariable &variable, const GlobalValue *original) {
  if (variable.hasLocalLinkage() && variable.isConstant() && belongs_to_marks(variable))
    return Home::variant;
  if (belongs_to_code(variable) || belongs_to_optimiser(variable, original))
    return Home::variant;
  return has_known_contents(variable, original) ? Home::native_with_contents : Home::native;
}

/// `is_specialized_along`: points can be reached from the function.
Home home_of(const Function &function, bool is_specialized_along) {
  if (function.isDeclaration())
    return Home::native;
  const bool can_be_reached_otherwise = !function.hasLocalLinkage() || function.hasAddressTaken() ||
                                        function.hasFnAttribute(compiler::kFoldAttribute) ||
                                        !compiler::native_only_reason(function).empty();
  return can_be_reached_otherwise || (!is_specialized_along && compiler::is_worth_sharing(function))
             ? Home::native_with_contents
             : Home::variant;
}

void make_accessor(Module &native, GlobalValue &variable, const std::string &name) {
  auto *type = FunctionType::get(variable.getType(), /*isVarArg=*/false);
  auto *accessor = Function::Create(type, GlobalValue::InternalLinkage, name, native);
  accessor->setDoesNotThrow();
  IRBuilder<> builder(BasicBlock::Create(native.getContext(), "", accessor));
  builder.CreateRet(builder.CreateThreadLocalAddress(&variable));
}

Function *declare_accessor(Module &bitcode, Type *pointer, const std::string &name) {
  auto *accessor = Function::Create(FunctionType::get(pointer, /*isVarArg=*/false),
                                    GlobalValue::ExternalLinkage, name, bitcode);
  accessor->setDoesNotThrow();
  accessor->setWillReturn();
  accessor->setDoesNotAccessMemory();
  return accessor;
}

bool is_address_intrinsic(const User &user) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&user);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address;
}

// The front end refers to guard variables of initializers without the intrinsic.
void call_at_use(Use &use, Function &accessor) {
  auto *user = cast<Instruction>(use.getUser());
  if (is_address_intrinsic(*user)) {
    auto *call = CallInst::Create(&accessor, "", user->getIterator());
    user->replaceAllUsesWith(call);
    user->eraseFromParent();
    return;
  }
  const auto *phi = dyn_cast<PHINode>(user);
  Instruction *place = phi ? phi->getIncomingBlock(use)->getTerminator() : user;
  use.set(CallInst::Create(&accessor, "", place->getIterator()));
}

/// Makes the copy access thread-local variables through accessor functions, which are added to the
/// native half: ORC has no native thread-local storage for variables that it did not create, so the
/// program's own code returns their addresses. `suffix` makes the accessors' names unique.
void reach_thread_locals(Module &bitcode, Module &native, const Originals &originals,
                         const std::string &suffix) {
  const auto living = originals.living();
  for (GlobalVariable &variable : make_early_inc_range(bitcode.globals())) {
    if (!variable.isThreadLocal())
      continue;
    GlobalValue *original = living.lookup(&variable);
    if (!original) // a declaration made from an alias
      original = native.getNamedValue(variable.getName());
    const std::string name = "sartor.tls." + variable.getName().str() + suffix;
    make_accessor(native, *original, name);
    Function *accessor = declare_accessor(bitcode, variable.getType(), name);
    convertUsersOfConstantsToInstructions({&variable});
    while (!variable.use_empty())
      call_at_use(*variable.use_begin(), *accessor);
    variable.eraseFromParent();
  }
}

// Neither inlined nor making a tail call, so that the return address is in this function.
void make_caller(Function &called, const std::string &name) {
  auto *caller = Function::Create(called.getFunctionType(), GlobalValue::InternalLinkage, name,
                                  *called.getParent());
  caller->setCallingConv(called.getCallingConv());
  caller->addFnAttr(Attribute::NoInline);
  caller->addFnAttr("disable-tail-calls", "true");
  caller->setUWTableKind(UWTableKind::Async);
  IRBuilder<> builder(BasicBlock::Create(called.getContext(), "", caller));
  SmallVector<llvm::Value *> arguments;
  for (Argument &argument : caller->args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&called, arguments);
  call->setCallingConv(called.getCallingConv());
  call->setTailCallKind(CallInst::TCK_NoTail);
  if (caller->getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

/// Makes the bitcode call functions of the C library that inspect their caller
/// (compiler/frontend/analysis/native_only.h) through functions added to the native half: the code
/// of variants belongs to no shared object. `suffix` makes their names unique.
void call_from_native(Module &bitcode, Module &native, const std::string &suffix) {
  for (const char *name : compiler::kCallerSensitive) {
    Function *called = bitcode.getFunction(name);
    Function *original = native.getFunction(name);
    if (!called || !original || !called->isDeclaration() || called->isVarArg())
      continue;
    SmallVector<CallBase *> calls;
    for (User *user : called->users())
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == called)
        calls.push_back(call);
    if (calls.empty())
      continue;
    const std::string own = "sartor.caller." + std::string(name) + suffix;
    make_caller(*original, own);
    auto *declared =
        Function::Create(called->getFunctionType(), GlobalValue::ExternalLinkage, own, bitcode);
    declared->setCallingConv(called->getCallingConv());
    for (CallBase *call : calls)
      call->setCalledFunction(declared);
  }
}

// Lists that concern the native object file, not the code.
constexpr const char *kNativeLists[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                                        "llvm.global_dtors", "llvm.global.annotations"};

void make_discardable(GlobalObject &object) {
  if (object.isDeclaration() || object.hasLocalLinkage())
    return;
  switch (object.getLinkage()) {
  case GlobalValue::ExternalLinkage:
    object.setLinkage(GlobalValue::AvailableExternallyLinkage);
    break;
  case GlobalValue::WeakODRLinkage:
    object.setLinkage(GlobalValue::LinkOnceODRLinkage);
    break;
  case GlobalValue::AvailableExternallyLinkage:
  case GlobalValue::LinkOnceODRLinkage:
    break;
  default: // linking may replace this definition by another one
    if (auto *function = dyn_cast<Function>(&object))
      function->deleteBody();
    else
      cast<GlobalVariable>(object).setInitializer(nullptr);
    object.setLinkage(GlobalValue::ExternalLinkage);
  }
}

// Keeps the definition of a handler for the runtime, even if no code refers to it. Several files
// may define the same handler, from a header; a weak definition may be replaced by a strong one.
void keep_handler(Function &handler) {
  if (handler.isDeclaration())
    return;
  if (handler.isDeclarationForLinker())
    handler.setLinkage(GlobalValue::WeakODRLinkage);
  else if (handler.isInterposable())
    handler.setLinkage(GlobalValue::WeakAnyLinkage);
  else if (handler.isDiscardableIfUnused() && !handler.hasLocalLinkage())
    handler.setLinkage(GlobalValue::WeakODRLinkage);
  else if (!handler.hasWeakODRLinkage())
    handler.setLinkage(GlobalValue::ExternalLinkage);
}

bool has_mark_name(const Function &function) {
  return function.getName().starts_with("sartor.point.") ||
         function.getName().starts_with("sartor.const.") || function.getName() == "sartor_local_" ||
         function.getName() == "sartor_publish_";
}

// Returns a second name for a function's own definition, which is valid whatever definition the
// linker chooses for the first name.
Constant *own_definition(GlobalValue &original, Module &native) {
  auto *function = dyn_cast<Function>(&original);
  if (!function || function->isDeclarationForLinker() || function->hasLocalLinkage() ||
      function->hasComdat() || function->hasLinkOnceLinkage() ||
      (function->isDSOLocal() && !function->isInterposable()))
    return nullptr;
  return GlobalAlias::create(function->getValueType(), 0, GlobalValue::InternalLinkage,
                             "sartor.own." + function->getName(), function, &native);
}

/// Binds globals one by one.
class Binder {
public:
  Binder(Module &native, const Originals &originals, const std::string &suffix)
      : native_(native), originals_(originals.living()), suffix_(suffix) {}

  [[nodiscard]] const GlobalValue *original_of(const GlobalObject &object) const {
    return originals_.lookup(&object);
  }

  void bind(GlobalVariable &variable, Home home) {
    add(variable);
    if (home == Home::native_with_contents) {
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
    } else if (!variable.isDeclaration()) {
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
    }
    variable.setSection("");
  }

  void bind(Function &function) {
    add(function);
    if (compiler::is_handler(function) && !function.hasLocalLinkage())
      return;
    if (function.isDeclaration() || function.hasExternalLinkage()) {
      if (!function.hasExternalWeakLinkage())
        function.setLinkage(GlobalValue::ExternalLinkage);
    } else {
      function.setLinkage(GlobalValue::AvailableExternallyLinkage);
    }
  }

  /// Binds a global that inline assembly refers to by name.
  void bind_named(GlobalValue &original) {
    if (bound_.insert(original.getName()).second)
      bindings_.push_back({original.getName().str(), &original, nullptr});
  }

  /// Binds a handler's name with a namespace, which is no symbol. The runtime looks handlers up by
  /// it without reading the bitcode.
  void bind_path(Function &handler) {
    const std::string name = compiler::handler_name(handler);
    if (GlobalValue *original = originals_.lookup(&handler); original && name.contains("::"))
      bindings_.push_back({name, original, nullptr});
  }

  std::vector<Binding> take() { return std::move(bindings_); }

private:
  void add(GlobalObject &object) {
    GlobalValue *original = originals_.lookup(&object);
    const bool is_copy = original != nullptr;
    if (!original) // created in the bitcode: a thread-local accessor, or a library call of the
                   // optimizer
      original = native_.getNamedValue(object.getName());
    if (object.hasLocalLinkage() || (is_copy && original->hasLocalLinkage()))
      object.setName(object.getName() + suffix_);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setDSOLocal(false);
    if (!original)
      return;
    bound_.insert(object.getName());
    auto *function = dyn_cast<Function>(&object);
    bindings_.push_back(
        {object.getName().str(), original,
         function && !function->isDeclaration() ? own_definition(*original, native_) : nullptr});
  }

  Module &native_;
  DenseMap<const GlobalValue *, GlobalValue *> originals_;
  std::string suffix_;
  std::vector<Binding> bindings_;
  StringSet<> bound_;
};

} // namespace

void detach(Module &bitcode, Module &native, const Originals &originals,
            const std::string &suffix) {
  for (const char *name : kNativeLists)
    if (GlobalVariable *list = bitcode.getGlobalVariable(name))
      list->eraseFromParent();
  bitcode.setModuleInlineAsm("");
  resolve_aliases(bitcode);
  reach_thread_locals(bitcode, native, originals, suffix);
  call_from_native(bitcode, native, suffix);
  // A handler of another file may call these functions.
  const auto reaching = compiler::functions_reaching_points(bitcode, compiler::is_worth_sharing);
  for (GlobalObject &object : bitcode.global_objects()) {
    object.setComdat(nullptr);
    auto *function = dyn_cast<Function>(&object);
    if (function && compiler::is_handler(*function))
      keep_handler(*function);
    else if (function && function->isInterposable() && reaching.contains(function))
      compiler::keep_native(*function, "the function is weak: the linker may replace it");
    else if (!function || !function->hasExternalLinkage() || !reaching.contains(function))
      make_discardable(object);
  }
}

std::vector<Binding> bind(Module &bitcode, Module &native, const Originals &originals,
                          const std::string &suffix) {
  const std::vector<GlobalValue *> in_assembly = follow_assembly(bitcode, native);
  Binder binder(native, originals, suffix);
  for (GlobalVariable &variable : bitcode.globals())
    if (const Home home = home_of(variable, binder.original_of(variable)); home != Home::variant)
      binder.bind(variable, home);
  const auto reaching = compiler::functions_reaching_points(bitcode, compiler::is_worth_sharing);
  for (Function &function : bitcode)
    if (!function.isIntrinsic() && !has_mark_name(function) &&
        home_of(function, reaching.contains(&function)) != Home::variant)
      binder.bind(function);
  for (GlobalValue *named : in_assembly)
    binder.bind_named(*named);
  for (Function &function : bitcode)
    if (compiler::is_handler(function))
      binder.bind_path(function);
  return binder.take();
}

} // namespace sartor::compiler
