// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/custom.h"

#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/call_marks.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kGeneric = "sartor_generic"; ///< See GeneratedCode.
constexpr const char *kLinked = "sartor.generated";

AttributeSet only(LLVMContext &context, AttributeSet all, ArrayRef<Attribute::AttrKind> kept) {
  AttrBuilder builder(context);
  for (const Attribute attribute : all)
    if (attribute.isStringAttribute() || is_contained(kept, attribute.getKindAsEnum()))
      builder.addAttribute(attribute);
  return AttributeSet::get(context, builder);
}

// Keeps the attributes that define how a function is called, without those that describe its
// behavior.
AttributeList of_the_interface(LLVMContext &context, const AttributeList &all, unsigned arguments) {
  static constexpr Attribute::AttrKind kFunction[] = {Attribute::UWTable,
                                                      Attribute::NullPointerIsValid,
                                                      Attribute::StackProtect,
                                                      Attribute::StackProtectReq,
                                                      Attribute::StackProtectStrong,
                                                      Attribute::SpeculativeLoadHardening,
                                                      Attribute::NoImplicitFloat,
                                                      Attribute::NoRedZone};
  static constexpr Attribute::AttrKind kValue[] = {Attribute::ZExt, Attribute::SExt,
                                                   Attribute::InReg};
  SmallVector<AttributeSet, 8> parameters;
  for (unsigned i = 0; i < arguments; ++i)
    parameters.push_back(only(context, all.getParamAttrs(i), kValue));
  return AttributeList::get(context, only(context, all.getFnAttrs(), kFunction),
                            only(context, all.getRetAttrs(), kValue), parameters);
}

// Attributes that LLVM inferred for the wrapper describe its old body.
void forget_inferred(Function &wrapper) {
  LLVMContext &context = wrapper.getContext();
  const auto arguments = static_cast<unsigned>(wrapper.arg_size());
  wrapper.setAttributes(of_the_interface(context, wrapper.getAttributes(), arguments));
  for (User *user : wrapper.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &wrapper) {
      call->setAttributes(of_the_interface(context, call->getAttributes(), arguments));
      call->dropUnknownNonDebugMetadata();
    }
}

std::string text_of(const Type &type) {
  std::string text;
  raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

std::unexpected<Failure> invalid(const std::string &label, const std::string &why) {
  return std::unexpected(Failure{ErrorCode::generated_invalid_ir, label,
                                 "its generator returned invalid LLVM IR: " + why,
                                 "fix the text that its generator returns"});
}

std::unexpected<Failure> bad(const std::string &label, std::string why, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_generator, label, std::move(why), std::move(remedy)});
}

/// Parses and verifies the code. It takes the target of the module that it is linked into.
Result<std::unique_ptr<Module>> parse(const core::Generated &code, Module &into,
                                      const std::string &label) {
  const ParserCallbacks layout([&](StringRef, StringRef) { return into.getDataLayoutStr(); });
  const auto buffer = MemoryBuffer::getMemBufferCopy(code.ir, label); // ends with a null
  SMDiagnostic diagnostic;
  auto module = parseIR(*buffer, diagnostic, into.getContext(), layout);
  if (!module)
    return invalid(label, "line " + std::to_string(diagnostic.getLineNo()) + ": " +
                              diagnostic.getMessage().str());
  const Triple triple = triple_of(*module);
  if (!triple.getTriple().empty() && triple.getArch() != triple_of(into).getArch())
    return invalid(label, "it is for " + triple.str() + ", not for " + triple_of(into).str());
  module->setTargetTriple(into.getTargetTriple());
  module->setDataLayout(into.getDataLayout());
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(*module, &stream))
    return invalid(label, problems);
  for (const GlobalValue &value : module->global_values())
    if (value.getName().starts_with("sartor."))
      return invalid(label, "the name " + value.getName().str() + " is reserved");
  return module;
}

/// Takes the target attributes of the wrapper, so that the code can be inlined.
void take_machine_from(const Function &like, Module &module) {
  for (Function &function : module) {
    for (const char *name : {"target-cpu", "target-features", "tune-cpu"}) {
      function.removeFnAttr(name);
      if (like.hasFnAttribute(name))
        function.addFnAttr(like.getFnAttribute(name));
    }
    AttributeMask marks;
    for (const Attribute attribute : function.getAttributes().getFnAttrs())
      if (attribute.isStringAttribute() && attribute.getKindAsString().starts_with("sartor"))
        marks.addAttribute(attribute.getKindAsString());
    function.removeFnAttrs(marks);
    function.clearMetadata();
  }
}

void make_local(Module &module) {
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage() && !value.hasAppendingLinkage()) {
      value.setLinkage(GlobalValue::InternalLinkage);
      value.setVisibility(GlobalValue::DefaultVisibility);
      if (auto *object = dyn_cast<GlobalObject>(&value))
        object->setComdat(nullptr);
    }
}

/// Links the code into the wrapper's module. Returns its function.
Result<Function *> link(Function &wrapper, const core::Generated &code, const std::string &label) {
  Module &module = *wrapper.getParent();
  auto parsed = parse(code, module, label);
  if (!parsed)
    return std::unexpected(std::move(parsed.error()));
  Module &made = **parsed;
  Function *function = made.getFunction(code.function);
  if (!function || function->isDeclaration())
    return bad(label, "its code does not define the function \"" + code.function + '"',
               "name the function that has the point's arguments and result");
  if (function->getFunctionType() != wrapper.getFunctionType())
    return bad(label,
               "its function has the type " + text_of(*function->getFunctionType()) +
                   ", the point's is " + text_of(*wrapper.getFunctionType()),
               "give it the arguments and the result of the point's own function");
  if (const GlobalValue *generic = made.getNamedValue(kGeneric);
      generic &&
      (!generic->isDeclaration() ||
       generic->getValueType() != wrapped_call(wrapper).getCalledFunction()->getFunctionType()))
    return bad(label, "its code uses sartor_generic, but not as the point's own function",
               "declare it with the arguments and the result of that function");
  StripDebugInfo(made);
  take_machine_from(wrapper, made);
  make_local(made);
  // The linker only links definitions that are visible outside of their module.
  std::string name = kLinked;
  for (unsigned i = 1; module.getNamedValue(name); ++i)
    name = kLinked + ("." + std::to_string(i));
  function->setName(name);
  function->setLinkage(GlobalValue::ExternalLinkage);
  for (const char *clashing : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *node = made.getNamedMetadata(clashing))
      node->eraseFromParent();
  if (Linker::linkModules(module, std::move(*parsed)))
    return bad(label, "its code cannot be linked with the handlers", "see the event log");
  Function *linked = module.getFunction(name);
  linked->setLinkage(GlobalValue::InternalLinkage);
  return linked;
}

/// Makes `sartor_generic` the function that the wrapper calls.
void resolve_generic(Module &module, Function &generic, AttributeList interface) {
  Function *declared = module.getFunction(kGeneric);
  if (!declared)
    return;
  for (User *user : declared->users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == declared) {
      call->setCallingConv(generic.getCallingConv());
      call->setAttributes(interface);
    }
  declared->replaceAllUsesWith(&generic);
  declared->eraseFromParent();
}

} // namespace

Result<void> build_custom(Function &wrapper, const core::Generated &code,
                          const std::string &label) {
  const auto linked = link(wrapper, code, label);
  if (!linked)
    return std::unexpected(linked.error());
  forget_inferred(wrapper);
  LLVMContext &context = wrapper.getContext();
  CallBase &generic = wrapped_call(wrapper);
  resolve_generic(*wrapper.getParent(), *generic.getCalledFunction(),
                  of_the_interface(context, generic.getAttributes(),
                                   static_cast<unsigned>(generic.arg_size())));
  const DebugLoc location = generic.getDebugLoc();
  for (BasicBlock &block : wrapper)
    block.dropAllReferences();
  while (!wrapper.empty())
    wrapper.front().eraseFromParent();
  IRBuilder<> ir(BasicBlock::Create(context, "entry", &wrapper));
  ir.SetCurrentDebugLocation(location);
  SmallVector<llvm::Value *, 8> arguments;
  for (Argument &each : wrapper.args())
    arguments.push_back(&each);
  CallInst *call = ir.CreateCall(*linked, arguments);
  call->setCallingConv((*linked)->getCallingConv());
  ir.CreateRet(call);
  InlineFunctionInfo info;
  if (InlineFunction(*call, info).isSuccess() && (*linked)->use_empty())
    (*linked)->eraseFromParent();
  return {};
}

} // namespace sartor::compiler
