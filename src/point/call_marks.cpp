// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/call_marks.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "point/marks.h"

namespace sartor::point {

using namespace llvm;

namespace {

constexpr const char *kWrittenCallPoint = "sartor_call_point_";
constexpr const char *kLabelAttribute = "sartor-label";

enum Operand : unsigned {
  kResult,
  kLabel,
  kKind,
  kCustomKind,
  kVersion,
  kVersionBytes,
  kSigned,
  kBool,
  kFile,
  kLine
};

std::vector<CallInst *> written_call_points(Module &module) {
  std::vector<CallInst *> found;
  if (const Function *mark = module.getFunction(kWrittenCallPoint))
    for (const User *user : mark->users())
      if (const auto *call = dyn_cast<CallInst>(user))
        found.push_back(const_cast<CallInst *>(call));
  return found;
}

// The value stored to the mark's temporary just before the mark, without the front end's widening
// of bool.
llvm::Value *stored_result(const CallInst &written) {
  const llvm::Value *temporary = written.getArgOperand(kResult)->stripPointerCasts();
  for (const Instruction *before = written.getPrevNode(); before; before = before->getPrevNode())
    if (const auto *store = dyn_cast<StoreInst>(before);
        store && store->getPointerOperand()->stripPointerCasts() == temporary) {
      llvm::Value *value = const_cast<llvm::Value *>(store->getValueOperand());
      while (auto *cast = dyn_cast<CastInst>(value))
        value = cast->getOperand(0);
      return value;
    }
  return nullptr;
}

struct Place {
  std::string label;
  std::string text; ///< file:line
};

std::unexpected<Failure> refuse(const Place &place, std::string message, const char *remedy) {
  return std::unexpected(Failure{ErrorCode::point_not_specializable, place.label,
                                 "the call at " + place.text + " " + std::move(message), remedy});
}

Result<CallBase *> marked_call(const CallInst &written, const Place &place) {
  auto *call = dyn_cast_or_null<CallBase>(stored_result(written));
  if (!call)
    return refuse(place, "does not give a scalar by value",
                  "let the function return an integer, a pointer, a float or a double");
  const Function *callee = call->getCalledFunction();
  if (!callee || callee->isIntrinsic() || callee->isVarArg())
    return refuse(place, "is not a direct call of a function",
                  "call a function by its name, without a variable number of arguments");
  if (!is_scalar(*call->getType()) ||
      !all_of(call->args(), [](const Use &argument) { return is_scalar(*argument->getType()); }) ||
      any_of(callee->args(), is_aggregate))
    return refuse(place, "passes more than scalars",
                  "pass structures by pointer, and values as integers, pointers, float or double");
  return call;
}

// `signed` is what C says of the type; arguments tell it only by their extension.
std::string parameter_signs(const CallBase &call) {
  std::string signs;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    signs += call.paramHasAttr(i, Attribute::SExt) ? 's' : 'u';
  return signs;
}

Function *make_wrapper(const CallInst &written, CallBase &call, const Place &place) {
  Module &module = *call.getModule();
  Function *callee = call.getCalledFunction();
  const unsigned version_bytes = constant_number(written.getArgOperand(kVersionBytes));
  SmallVector<Type *, 8> parameters(callee->getFunctionType()->params());
  if (version_bytes)
    parameters.push_back(PointerType::getUnqual(module.getContext()));
  auto *wrapper =
      Function::Create(FunctionType::get(call.getType(), parameters, false),
                       GlobalValue::InternalLinkage, "sartor.call." + place.label, module);
  const AttributeList known = call.getAttributes();
  wrapper->setAttributes(
      AttributeList::get(module.getContext(), AttributeSet(), known.getRetAttrs(), {}));
  for (unsigned i = 0; i < call.arg_size(); ++i)
    wrapper->addParamAttrs(i, AttrBuilder(module.getContext(), known.getParamAttrs(i)));
  if (call.doesNotThrow())
    wrapper->setDoesNotThrow();
  wrapper->addFnAttr(Attribute::NoInline);
  wrapper->setUWTableKind(UWTableKind::Default);
  auto say = [&](const char *key, const std::string &value) { wrapper->addFnAttr(key, value); };
  say(kLabelAttribute, place.label);
  say("sartor-kind", utostr(constant_number(written.getArgOperand(kKind))));
  say("sartor-custom-kind", constant_string(written.getArgOperand(kCustomKind)).value_or(""));
  say("sartor-version-bytes", utostr(version_bytes));
  say("sartor-signs",
      (constant_number(written.getArgOperand(kSigned)) ? "s" : "u") + parameter_signs(call));
  say("sartor-bool", utostr(constant_number(written.getArgOperand(kBool))));
  say("sartor-file", constant_string(written.getArgOperand(kFile)).value_or(""));
  say("sartor-line", utostr(constant_number(written.getArgOperand(kLine))));

  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", wrapper));
  SmallVector<llvm::Value *, 8> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    arguments.push_back(wrapper->getArg(i));
  CallInst *inner = builder.CreateCall(callee, arguments);
  inner->setAttributes(known);
  inner->setCallingConv(call.getCallingConv());
  builder.CreateRet(inner);
  return wrapper;
}

void call_wrapper(CallBase &call, Function &wrapper, llvm::Value *version_slot) {
  IRBuilder<> builder(&call);
  SmallVector<llvm::Value *, 8> arguments(call.args());
  if (wrapper.arg_size() > call.arg_size())
    arguments.push_back(builder.CreateLoad(builder.getPtrTy(), version_slot));
  CallBase *made = nullptr;
  if (const auto *invoke = dyn_cast<InvokeInst>(&call))
    made =
        builder.CreateInvoke(&wrapper, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
  else
    made = builder.CreateCall(&wrapper, arguments);
  made->takeName(&call);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

Result<void> raise(CallInst &written) {
  const auto label = constant_string(written.getArgOperand(kLabel));
  const Place place{label.value_or("?"),
                    constant_string(written.getArgOperand(kFile)).value_or("?") + ":" +
                        std::to_string(constant_number(written.getArgOperand(kLine)))};
  if (!label || !constant_string(written.getArgOperand(kCustomKind)))
    return std::unexpected(Failure{ErrorCode::label_not_constant, place.text,
                                   "the label or kind is not a string literal",
                                   "write it as a literal"});
  if (const std::string problem = label_problem(*label); !problem.empty())
    return std::unexpected(Failure{ErrorCode::bad_value_type, place.text,
                                   "the label of this call " + problem,
                                   "write the label in UTF-8"});
  auto call = marked_call(written, place);
  if (!call)
    return std::unexpected(std::move(call.error()));
  Function *wrapper = make_wrapper(written, **call, place);
  call_wrapper(**call, *wrapper, written.getArgOperand(kVersion));
  written.eraseFromParent();
  return {};
}

unsigned attribute_number(const Function &wrapper, const char *key) {
  unsigned number = 0;
  wrapper.getFnAttribute(key).getValueAsString().getAsInteger(10, number);
  return number;
}

} // namespace

bool is_scalar(Type &type) {
  return (type.isIntegerTy() && type.getIntegerBitWidth() <= 64) || type.isFloatTy() ||
         type.isDoubleTy() || type.isPointerTy();
}

bool is_aggregate(const Argument &parameter) {
  return parameter.hasPassPointeeByValueCopyAttr() || parameter.hasStructRetAttr();
}

PointType scalar_type(Type &type, const DataLayout &layout, bool is_signed, bool is_bool) {
  PointType result;
  result.bits = static_cast<unsigned>(layout.getTypeSizeInBits(&type).getFixedValue());
  if (type.isPointerTy())
    result.kind = PointType::Class::pointer;
  else if (type.isFloatingPointTy())
    result.kind = PointType::Class::floating;
  else if (is_bool || result.bits == 1)
    result.kind = PointType::Class::boolean;
  else
    result.is_signed = is_signed;
  return result;
}

bool is_call_point(const Function &function) { return function.hasFnAttribute(kLabelAttribute); }

CallMark read_call_mark(const Function &wrapper) {
  auto text = [&](const char *key) { return wrapper.getFnAttribute(key).getValueAsString().str(); };
  CallMark mark;
  mark.label = text(kLabelAttribute);
  mark.kind = static_cast<PointKind>(attribute_number(wrapper, "sartor-kind"));
  mark.custom_kind = text("sartor-custom-kind");
  mark.version_bytes = attribute_number(wrapper, "sartor-version-bytes");
  mark.file = text("sartor-file");
  mark.line = attribute_number(wrapper, "sartor-line");
  mark.function = wrapped_call(const_cast<Function &>(wrapper)).getCalledFunction()->getName();
  const std::string signs = text("sartor-signs");
  const DataLayout &layout = wrapper.getDataLayout();
  mark.type = scalar_type(*wrapper.getReturnType(), layout, signs[0] == 's',
                          attribute_number(wrapper, "sartor-bool") != 0);
  for (unsigned i = 0; i + 1 < signs.size(); ++i)
    mark.arguments.push_back(
        scalar_type(*wrapper.getArg(i)->getType(), layout, signs[i + 1] == 's', false));
  return mark;
}

void relabel_call(Function &wrapper, StringRef label) { wrapper.addFnAttr(kLabelAttribute, label); }

CallBase &wrapped_call(Function &wrapper) {
  return *cast<CallBase>(
      cast<ReturnInst>(wrapper.getEntryBlock().getTerminator())->getReturnValue());
}

Result<void> raise_call_points(Module &module) {
  for (CallInst *written : written_call_points(module))
    if (auto raised = raise(*written); !raised)
      return raised;
  return {};
}

void erase_call_marks(Module &module) {
  for (CallInst *written : written_call_points(module))
    written->eraseFromParent();
  if (Function *mark = module.getFunction(kWrittenCallPoint))
    mark->eraseFromParent();
}

void make_call_generic(Function &wrapper) {
  wrapper.removeFnAttr(Attribute::NoInline);
  wrapper.addFnAttr(Attribute::AlwaysInline);
}

} // namespace sartor::point
