// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct.h"

#include <cstddef>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <sartor/read_section.hpp>

#include "base/result.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/target.h"
#include "core/space/module.h"
#include "direct_stub.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// The name of the function that LLVM's code generator jumps to in place of a return.
constexpr const char *kDirectReturn = "__x86_return_thunk";

using detail::Reader;

constexpr const char *kDistance = "sartor.reader.distance";

static_assert(offsetof(Reader, word) == 0 && offsetof(Reader, frame) == 8 &&
              offsetof(Reader, frame_before) == 40 && detail::kUnknownFrame == ~0UL);

// Performs the stores in the order of ReadSection's destructor, without using registers that may
// hold results. The code is short because each call executes it. Sections within this one that have
// not ended never will; if the outermost frame is no longer known, there may be sections on other
// stacks.
constexpr const char *kCode = "movq ${0:c}(%rip), %r11\n\t"
                              "movq %fs:(%r11), %r11\n\t"
                              "cmpq %rsp, 8(%r11)\n\t"
                              "jne 1f\n\t"
                              "movq $$-1, 8(%r11)\n\t"
                              "xorl %r10d, %r10d\n\t"
                              "movl %r10d, (%r11)\n\t"
                              "ret\n"
                              "1:\n\t"
                              "cmpq %rsp, 40(%r11)\n\t"
                              "jne 2f\n\t"
                              "movq $$0, 40(%r11)\n\t"
                              "decq (%r11)\n"
                              "2:\n\t"
                              "ret";

void share(GlobalObject &object) {
  object.setComdat(object.getParent()->getOrInsertComdat(object.getName()));
  object.setVisibility(GlobalValue::HiddenVisibility);
  object.setDSOLocal(true);
}

/// Returns the word with the offset from the thread pointer to the address of libsartor's record of
/// a thread; 0 before a runtime has written it. A program or library has one such word.
GlobalVariable &reader_distance(Module &native) {
  if (GlobalVariable *known = native.getNamedGlobal(kDistance))
    return *known;
  auto *word = Type::getInt64Ty(native.getContext());
  auto *made =
      new GlobalVariable(native, word, /*isConstant=*/false, GlobalValue::LinkOnceODRLinkage,
                         ConstantInt::get(word, 0), kDistance);
  GlobalValue::SanitizerMetadata bare;
  bare.NoAddress = true;
  made->setSanitizerMetadata(bare);
  share(*made);
  return *made;
}

/// Returns the function that ends a direct call: variants that can be called directly jump here
/// instead of returning, with their results in registers and the stack as at their beginning. If
/// this call began the thread's outermost section, it ends here. The variant itself must not end
/// it, because its code could be reclaimed before its last instruction. All other calls, such as by
/// a handle, just return. Null if no code uses the word.
Function *direct_return(Module &native) {
  GlobalVariable *distance = native.getNamedGlobal(kDistance);
  if (!distance)
    return nullptr;
  LLVMContext &context = native.getContext();
  auto *nothing = Type::getVoidTy(context);
  auto *made = Function::Create(FunctionType::get(nothing, false), GlobalValue::LinkOnceODRLinkage,
                                "sartor.return", native);
  share(*made);
  for (const auto attribute : {Attribute::Naked, Attribute::NoInline, Attribute::NoUnwind})
    made->addFnAttr(attribute);
  made->setUWTableKind(UWTableKind::Default);
  made->setAlignment(Align(64));
  IRBuilder<> builder(BasicBlock::Create(context, "", made));
  builder.CreateCall(InlineAsm::get(FunctionType::get(nothing, {builder.getPtrTy()}, false), kCode,
                                    "i", /*hasSideEffects=*/true),
                     {distance});
  builder.CreateUnreachable();
  return made;
}

constexpr const char *kStubAttribute = "sartor-direct-stub";
constexpr const char *kOutSuffix = ".sartor.out";

std::string problem_of(const Function &handler) {
  if (handler.isVarArg())
    return "takes a variable number of arguments, which code in between cannot pass on";
  if (handler.hasFnAttribute(Attribute::Naked))
    return "is naked: what its arguments are is not known";
  if (handler.isDeclarationForLinker())
    return "is inline without a definition in this file, so that its symbol is another file's";
  return "";
}

void refuse(Module &native, const Function &handler, std::string problem) {
  if (const DISubprogram *source = handler.getSubprogram()) // compiled with -g
    problem += " (" + source->getFilename().str() + ':' + std::to_string(source->getLine()) + ')';
  const Failure failure{ErrorCode::point_not_specializable, compiler::handler_name(handler),
                        std::move(problem),
                        "declare it with SARTOR_HANDLER, and call it through its Handler"};
  native.getContext().emitError("sartor: " + failure.text());
}

void report_native(Module &native, const Function &handler, const std::string &why) {
  warn(native.getContext(), "sartor: \"" + compiler::handler_name(handler) + "\": " + why);
}

bool jumps_to_callees(Function &function) {
  return llvm::any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && call->isMustTailCall();
  });
}

// Places the object in one COMDAT for all files that have the handler, whichever stub or plain
// definition the linker keeps.
void put_behind(GlobalObject &object, const Function &stub) {
  const bool is_shared = stub.hasComdat() && !stub.hasLocalLinkage();
  object.setComdat(is_shared ? object.getParent()->getOrInsertComdat(
                                   (stub.getName() + core::kDirectSuffix).str())
                             : nullptr);
  object.setLinkage(is_shared ? stub.getLinkage() : GlobalValue::InternalLinkage);
  object.setVisibility(is_shared ? GlobalValue::HiddenVisibility : GlobalValue::DefaultVisibility);
  object.setDSOLocal(true);
}

Function &make_like(Function &handler, const std::string &name) {
  auto *made = Function::Create(handler.getFunctionType(), GlobalValue::InternalLinkage, name,
                                handler.getParent());
  const AttributeList known = handler.getAttributes();
  made->setAttributes(known.removeFnAttributes(handler.getContext()));
  compiler::target_like(*made, handler);
  made->addFnAttr(Attribute::NoInline);
  made->setUWTableKind(handler.getUWTableKind());
  made->setCallingConv(handler.getCallingConv());
  if (handler.doesNotThrow())
    made->setDoesNotThrow();
  return *made;
}

// Creates a stub that takes the handler's symbol and its properties.
Function &take_symbol(Function &handler) {
  Function &stub = make_like(handler, "");
  stub.takeName(&handler);
  stub.setLinkage(handler.getLinkage());
  stub.setVisibility(handler.getVisibility());
  stub.setUnnamedAddr(handler.getUnnamedAddr());
  stub.setDSOLocal(handler.isDSOLocal());
  stub.setComdat(handler.getComdat());
  stub.setAlignment(handler.getAlign());
  stub.setSection(handler.getSection());
  handler.setName(stub.getName() + core::kNativeSuffix);
  handler.removeFnAttr(Attribute::AlwaysInline);
  handler.removeFnAttr(Attribute::InlineHint);
  handler.addFnAttr(Attribute::NoInline); // not into the stub
  replace_function(handler, stub);
  put_behind(handler, stub);
  return stub;
}

// Creates a sartor_direct: its fields in order.
GlobalVariable &make_route(Function &stub, Function &native, Function &out) {
  Module &module = *stub.getParent();
  LLVMContext &context = module.getContext();
  Constant *zero = ConstantInt::get(Type::getInt64Ty(context), 0);
  Constant *nothing = ConstantPointerNull::get(PointerType::getUnqual(context));
  auto *contents = ConstantStruct::getAnon(
      {&out, zero, nothing, nothing, nothing, nothing, &out, &native, &reader_distance(module)});
  auto *lead = new GlobalVariable(module, contents->getType(), /*isConstant=*/false,
                                  GlobalValue::InternalLinkage, contents,
                                  stub.getName() + core::kDirectSuffix);
  lead->setAlignment(Align(64));
  GlobalValue::SanitizerMetadata bare;
  bare.NoAddress = true;
  lead->setSanitizerMetadata(bare);
  put_behind(*lead, stub);
  return *lead;
}

// Stores the distance to the handler's sartor_direct in front of the stub's code, because the
// static or dynamic linker may prefer another definition of the handler.
void sign(Function &stub, GlobalVariable &lead) {
  auto *word = Type::getInt64Ty(stub.getContext());
  auto *here = GlobalAlias::create(stub.getValueType(), 0, GlobalValue::InternalLinkage,
                                   "sartor.stub." + stub.getName(), &stub, stub.getParent());
  Constant *distance = ConstantExpr::getSub(ConstantExpr::getPtrToInt(&lead, word),
                                            ConstantExpr::getPtrToInt(here, word));
  // The prefix is as long as an instruction fetch block, so that the stub begins with one.
  SmallVector<Constant *> prefix(7, ConstantInt::get(word, 0));
  prefix.push_back(distance);
  stub.setPrefixData(ConstantStruct::getAnon(prefix));
  stub.setAlignment(Align(64));
}

void route_calls_of(Function &named, Function &handler, std::vector<Binding> &bindings) {
  const bool jumps = jumps_to_callees(handler);
  Function &stub = take_symbol(handler);
  Function &out = make_like(handler, stub.getName().str() + kOutSuffix);
  put_behind(out, stub);
  GlobalVariable &lead = make_route(stub, handler, out);
  const DirectHandler direct{stub, handler, lead, reader_distance(*stub.getParent())};
  write_opaque_stub(direct);
  write_way_out(out, direct);
  stub.addFnAttr(kStubAttribute, jumps ? "calls" : "");
  for (Binding &binding : bindings)
    if (binding.native == &handler)
      binding.native = &stub;
  bindings.push_back({named.getName().str() + core::kNativeSuffix, &out, nullptr});
  bindings.push_back({named.getName().str() + core::kDirectSuffix, &lead, nullptr});
}

} // namespace

void route_direct_calls(Module &bitcode, Module &native, const Originals &originals,
                        std::vector<Binding> &bindings) {
  const Triple target = triple_of(native);
  const bool is_possible = target.getArch() == Triple::x86_64 && target.isOSBinFormatELF();
  const auto living = originals.living();
  for (Function &named : bitcode) {
    if (!compiler::is_handler(named) || !compiler::is_direct(named))
      continue;
    auto *handler = dyn_cast_or_null<Function>(living.lookup(&named));
    const std::string spoiled = handler ? jump_problem(*handler) : "";
    if (!handler || !is_possible || !spoiled.empty() ||
        !compiler::native_only_reason(named).empty()) {
      compiler::forget_direct(named);
      if (!is_possible)
        report_native(native, named,
                      "direct calls go to variants on x86-64 only, here to the native code");
      else if (!spoiled.empty())
        report_native(native, named, spoiled + ": direct calls go to the native code");
      continue;
    }
    if (std::string problem = problem_of(*handler); !problem.empty())
      refuse(native, *handler, std::move(problem));
    else
      route_calls_of(named, *handler, bindings);
  }
  if (Function *place = direct_return(native))
    bindings.push_back({kDirectReturn, place, nullptr});
}

void write_direct_stubs(Module &native) {
  for (Function &stub : native) {
    if (!stub.hasFnAttribute(kStubAttribute))
      continue;
    const std::string name = stub.getName().str();
    Function &handler = *native.getFunction(name + core::kNativeSuffix);
    const bool in_place = handler.doesNotThrow() && handler.getCallingConv() == CallingConv::C &&
                          stub.getFnAttribute(kStubAttribute).getValueAsString().empty();
    stub.removeFnAttr(kStubAttribute);
    const GlobalValue::LinkageTypes linkage = stub.getLinkage();
    stub.deleteBody();
    stub.setLinkage(linkage);
    GlobalVariable &lead = *native.getNamedGlobal(name + core::kDirectSuffix);
    write_stub({stub, handler, lead, reader_distance(native)}, in_place);
    sign(stub, lead);
  }
}

} // namespace sartor::compiler
