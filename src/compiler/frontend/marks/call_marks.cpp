// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/marks/call_marks.h"

#include <array>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/scalar.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kWrittenCallPoint = "sartor_call_point_";
constexpr const char *kCallMetadata = "sartor.call";
// Function attributes that keep a wrapped call a call. The attribute lists those that
// release_call() removes again.
constexpr const char *kHeldAttribute = "sartor-held";
constexpr std::array kHolding{Attribute::NoInline, Attribute::NoBuiltin};

struct CallOperand {
  enum : unsigned {
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
};

std::vector<CallInst *> written_call_points(Module &module) {
  std::vector<CallInst *> found;
  if (const Function *mark = module.getFunction(kWrittenCallPoint))
    for (const User *user : mark->users())
      if (const auto *call = dyn_cast<CallInst>(user))
        found.push_back(const_cast<CallInst *>(call));
  return found;
}

// Returns the value stored to the mark's temporary just before the mark, without the front end's
// widening of bool.
llvm::Value *stored_result(const CallInst &written) {
  const llvm::Value *temporary = written.getArgOperand(CallOperand::kResult)->stripPointerCasts();
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

// A structure passed or returned through memory.
bool is_aggregate(const Argument &parameter) {
  return parameter.hasPassPointeeByValueCopyAttr() || parameter.hasStructRetAttr();
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
  if (!fits_word(*call->getType()) ||
      !all_of(call->args(), [](const Use &argument) { return fits_word(*argument->getType()); }) ||
      any_of(callee->args(), is_aggregate))
    return refuse(place, "passes more than scalars",
                  "pass structures by pointer, and values as integers, pointers, float or double");
  return call;
}

// The fields of a wrapper's metadata, in this order.
enum Field : unsigned {
  kWrapperLabel,
  kWrapperKind,
  kWrapperCustomKind,
  kWrapperVersionBytes,
  kWrapperSigned,
  kWrapperBool,
  kWrapperFile,
  kWrapperLine,
  kWrapperFields
};

MDNode *description(const CallInst &written, const Place &place) {
  LLVMContext &context = written.getContext();
  const auto text = [&](const std::string &value) { return MDString::get(context, value); };
  const auto number = [&](unsigned operand) {
    return ConstantAsMetadata::get(ConstantInt::get(
        Type::getInt32Ty(context), constant_number(written.getArgOperand(operand))));
  };
  return MDNode::get(
      context,
      {text(place.label), number(CallOperand::kKind),
       text(constant_string(written.getArgOperand(CallOperand::kCustomKind)).value_or("")),
       number(CallOperand::kVersionBytes), number(CallOperand::kSigned), number(CallOperand::kBool),
       text(constant_string(written.getArgOperand(CallOperand::kFile)).value_or("")),
       number(CallOperand::kLine)});
}

std::string text_of(const MDNode &description, Field field) {
  const auto *text = dyn_cast<MDString>(description.getOperand(field));
  return text ? text->getString().str() : "";
}

unsigned number_of(const MDNode &description, Field field) {
  const auto *number = mdconst::dyn_extract<ConstantInt>(description.getOperand(field));
  return number ? static_cast<unsigned>(number->getZExtValue()) : 0;
}

// Keeps the call from being replaced until the point is decided: the callee may be always_inline,
// or a function that LLVM knows by name.
void hold(CallBase &call) {
  std::string held;
  for (const Attribute::AttrKind kind : kHolding)
    if (!call.getAttributes().hasFnAttr(kind)) {
      call.addFnAttr(kind);
      held += Attribute::getNameFromAttrKind(kind);
    }
  call.addFnAttr(Attribute::get(call.getContext(), kHeldAttribute, held));
}

const CallBase *find_wrapped_call(const Function &wrapper) {
  if (wrapper.isDeclaration())
    return nullptr;
  const auto *end = dyn_cast<ReturnInst>(wrapper.getEntryBlock().getTerminator());
  const auto *call = end ? dyn_cast_or_null<CallBase>(end->getReturnValue()) : nullptr;
  return call && call->getCalledFunction() ? call : nullptr;
}

Function *make_wrapper(const CallInst &written, CallBase &call, const Place &place) {
  Module &module = *call.getModule();
  Function *callee = call.getCalledFunction();
  const unsigned version_bytes = constant_number(written.getArgOperand(CallOperand::kVersionBytes));
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
  wrapper->setMetadata(kCallMetadata, description(written, place));
  set_signature(*wrapper, called_signature(
                              *written.getArgOperand(CallOperand::kResult)->stripPointerCasts()));

  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", wrapper));
  SmallVector<llvm::Value *, 8> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    arguments.push_back(wrapper->getArg(i));
  CallInst *inner = builder.CreateCall(callee, arguments);
  inner->setAttributes(known);
  inner->setCallingConv(call.getCallingConv());
  hold(*inner);
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
  const auto label = constant_string(written.getArgOperand(CallOperand::kLabel));
  const Place place{label.value_or("?"),
                    constant_string(written.getArgOperand(CallOperand::kFile)).value_or("?") + ":" +
                        std::to_string(constant_number(written.getArgOperand(CallOperand::kLine)))};
  if (!label || !constant_string(written.getArgOperand(CallOperand::kCustomKind)))
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
  call_wrapper(**call, *wrapper, written.getArgOperand(CallOperand::kVersion));
  written.eraseFromParent();
  return {};
}

} // namespace

bool is_call_point(const Function &function) {
  return function.getMetadata(kCallMetadata) != nullptr;
}

std::optional<Failure> call_mark_problem(const Function &wrapper) {
  const MDNode &described = *wrapper.getMetadata(kCallMetadata);
  if (described.getNumOperands() == kWrapperFields && find_wrapped_call(wrapper))
    return std::nullopt;
  return Failure{ErrorCode::point_not_specializable,
                 described.getNumOperands() ? text_of(described, kWrapperLabel) : "?",
                 "its call is not one any more",
                 "call a function that is not replaced by other code before it is optimised"};
}

CallMark read_call_mark(const Function &wrapper) {
  const MDNode &described = *wrapper.getMetadata(kCallMetadata);
  CallMark mark;
  mark.label = text_of(described, kWrapperLabel);
  mark.kind = static_cast<PointKind>(number_of(described, kWrapperKind));
  mark.custom_kind = text_of(described, kWrapperCustomKind);
  mark.version_bytes = number_of(described, kWrapperVersionBytes);
  mark.file = text_of(described, kWrapperFile);
  mark.line = number_of(described, kWrapperLine);
  mark.function = wrapped_call(const_cast<Function &>(wrapper)).getCalledFunction()->getName();
  const DataLayout &layout = wrapper.getDataLayout();
  mark.type =
      scalar_type(*wrapper.getReturnType(), layout, number_of(described, kWrapperSigned) != 0,
                  number_of(described, kWrapperBool) != 0);
  const auto count = static_cast<unsigned>(wrapper.arg_size()) - (mark.version_bytes ? 1 : 0);
  for (unsigned i = 0; i < count; ++i) {
    const Argument &argument = *wrapper.getArg(i);
    mark.arguments.push_back(
        scalar_type(*argument.getType(), layout, argument.hasSExtAttr(), false));
  }
  // Only the bits of a structure's members are known, not their types.
  if (const auto signature = written_signature(wrapper); signature && signature->arguments == count)
    for (const core::Parameter &parameter : signature->parameters)
      if (parameter.kind == core::Parameter::Kind::scalar && parameter.pieces.size() == 1)
        mark.arguments[parameter.pieces.front().argument] = parameter.type;
  return mark;
}

void relabel_call(Function &wrapper, StringRef label) {
  SmallVector<Metadata *> fields;
  for (const MDOperand &field : wrapper.getMetadata(kCallMetadata)->operands())
    fields.push_back(field.get());
  fields[kWrapperLabel] = MDString::get(wrapper.getContext(), label);
  wrapper.setMetadata(kCallMetadata, MDNode::get(wrapper.getContext(), fields));
}

CallBase &wrapped_call(Function &wrapper) {
  return *const_cast<CallBase *>(find_wrapped_call(wrapper));
}

void release_call(Function &wrapper) {
  CallBase &call = wrapped_call(wrapper);
  const StringRef held = call.getFnAttr(kHeldAttribute).getValueAsString();
  for (const Attribute::AttrKind kind : kHolding)
    if (held.contains(Attribute::getNameFromAttrKind(kind)))
      call.removeFnAttr(kind);
  call.removeFnAttr(kHeldAttribute);
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
  wrapper.setMetadata(kCallMetadata, nullptr);
}

} // namespace sartor::compiler
