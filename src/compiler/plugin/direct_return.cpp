// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct_return.h"

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

#include <sartor/read_section.hpp>

namespace sartor::compiler {

using namespace llvm;

namespace {

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

} // namespace

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

} // namespace sartor::compiler
