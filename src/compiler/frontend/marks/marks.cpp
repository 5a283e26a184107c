// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/marks/marks.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/JSON.h>

#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/scalar.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kWrittenPoint = "sartor_point_";
constexpr const char *kWrittenAssertion = "sartor_assert_const_";
constexpr const char *kWrittenOneOf = "sartor_one_of_";
constexpr const char *kRaisedPoint = "sartor.point.";
constexpr const char *kRaisedAssertion = "sartor.const.";
// These marks have only one form: they take values as they are.
constexpr const char *kLocal = "sartor_local_";
constexpr const char *kPublish = "sartor_publish_";
constexpr const char *kRaisedOneOf = "sartor.one_of.";
constexpr const char *kStay = "sartor.stay";
constexpr const char *kBlockingBegin = "sartor_begin_blocking";
constexpr const char *kBlockingEnd = "sartor_end_blocking";

// Operands of a point after the value, the same in both forms.
enum PointOperand : unsigned { kLabel = 1, kKind, kSigned, kBool, kChoices, kCount, kFile, kLine };
enum AssertionOperand : unsigned { kText = 1, kAssertionFile, kAssertionLine };

CallInst *call_of(Instruction &instruction, StringRef name, bool prefix) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee)
    return nullptr;
  return (prefix ? callee->getName().starts_with(name) : callee->getName() == name) ? call
                                                                                    : nullptr;
}

std::string type_suffix(Type *type) {
  if (type->isPointerTy())
    return "ptr";
  if (type->isFloatTy())
    return "f32";
  if (type->isDoubleTy())
    return "f64";
  return "i" + utostr(type->getIntegerBitWidth());
}

// Returns the type of the value: that of the temporary that it was stored to just before.
Type *type_of_temporary(const CallInst &written) {
  const auto *temporary = dyn_cast<AllocaInst>(written.getArgOperand(0)->stripPointerCasts());
  return temporary ? temporary->getAllocatedType() : nullptr;
}

// Declares an effect on inaccessible memory, which keeps the call at its place.
void keep_in_place(Function &mark) {
  mark.setDoesNotThrow();
  mark.setWillReturn();
  mark.setDoesNotFreeMemory();
  mark.setNoSync();
  mark.setOnlyAccessesInaccessibleMemory();
}

Function *raised_function(Module &module, const char *prefix, Type *type, bool returns_value,
                          const CallInst &written) {
  LLVMContext &context = module.getContext();
  SmallVector<Type *, 10> parameters{type};
  for (unsigned i = 1; i < written.arg_size(); ++i)
    parameters.push_back(written.getArgOperand(i)->getType());
  auto *signature = FunctionType::get(returns_value ? type : Type::getVoidTy(context), parameters,
                                      /*isVarArg=*/false);
  auto *function =
      cast<Function>(module.getOrInsertFunction(prefix + type_suffix(type), signature).getCallee());
  keep_in_place(*function);
  return function;
}

void raise(CallInst &written, Type *type, const char *prefix, bool returns_value) {
  Function *raised = raised_function(*written.getModule(), prefix, type, returns_value, written);
  IRBuilder<> builder(&written);
  llvm::Value *temporary = written.getArgOperand(0);
  SmallVector<llvm::Value *, 10> arguments(written.args());
  arguments[0] = builder.CreateLoad(type, temporary);
  CallInst *call = builder.CreateCall(raised, arguments);
  if (returns_value)
    builder.CreateStore(call, temporary);
  else // merging two of them would merge their values
    call->addFnAttr(Attribute::NoMerge);
  written.eraseFromParent();
}

void add_stay(CallInst &end) {
  IRBuilder<> builder(end.getNextNode());
  auto *signature = FunctionType::get(builder.getVoidTy(), {builder.getInt1Ty()}, false);
  auto *stay = cast<Function>(end.getModule()->getOrInsertFunction(kStay, signature).getCallee());
  keep_in_place(*stay);
  builder.CreateCall(stay, {builder.CreateIsNull(&end)});
}

template <class Matches> std::vector<CallInst *> calls(Function &function, Matches matches) {
  std::vector<CallInst *> found;
  for (Instruction &instruction : instructions(function))
    if (CallInst *call = matches(instruction))
      found.push_back(call);
  return found;
}

} // namespace

std::string label_problem(const std::string &label) {
  if (label.contains('\0'))
    return "has a NUL in it";
  return llvm::json::isUTF8(label) ? "" : "is not UTF-8";
}

std::optional<std::string> constant_string(const llvm::Value *operand) {
  const auto *global = dyn_cast<GlobalVariable>(operand->stripPointerCasts());
  if (!global || !global->isConstant() || !global->hasInitializer())
    return std::nullopt;
  const Constant *initializer = global->getInitializer();
  if (initializer->isNullValue())
    return "";
  const auto *data = dyn_cast<ConstantDataArray>(initializer);
  if (!data || !data->isString())
    return std::nullopt;
  return data->getAsString().rtrim('\0').str();
}

unsigned constant_number(const llvm::Value *operand) {
  const auto *number = dyn_cast<ConstantInt>(operand);
  return number ? static_cast<unsigned>(number->getZExtValue()) : 0;
}

CallInst *as_point(Instruction &instruction) { return call_of(instruction, kRaisedPoint, true); }

CallInst *as_const_assertion(Instruction &instruction) {
  return call_of(instruction, kRaisedAssertion, true);
}

CallInst *as_one_of(const Instruction &instruction) {
  return call_of(const_cast<Instruction &>(instruction), kRaisedOneOf, true);
}

bool is_mark(const Instruction &instruction) {
  auto &mark = const_cast<Instruction &>(instruction);
  return as_point(mark) || as_const_assertion(mark) || as_stay(mark) || as_local(mark) ||
         as_publish(mark) || as_one_of(mark);
}

CallInst *as_local(Instruction &instruction) { return call_of(instruction, kLocal, false); }

CallInst *as_publish(Instruction &instruction) { return call_of(instruction, kPublish, false); }

std::vector<CallInst *> locals_of(Function &function) { return calls(function, as_local); }

void erase_locals(Module &module) {
  for (Function &function : module) {
    for (CallInst *local : locals_of(function))
      make_generic(*local);
    for (CallInst *publish : calls(function, as_publish))
      publish->eraseFromParent();
  }
  for (const char *name : {kLocal, kPublish})
    if (Function *mark = module.getFunction(name); mark && mark->use_empty())
      mark->eraseFromParent();
}

CallInst *as_stay(Instruction &instruction) { return call_of(instruction, kStay, false); }

std::vector<CallInst *> stays_of(Function &function) { return calls(function, as_stay); }

std::vector<CallInst *> blocking_begins_of(Function &function) {
  return calls(function, [](Instruction &i) { return call_of(i, kBlockingBegin, false); });
}

bool is_blocking_end(Instruction &instruction) {
  return call_of(instruction, kBlockingEnd, false) != nullptr;
}

// A blocking section's record is a local variable of the function that begins it; another function
// can only end the section if it receives the variable's address.
bool ends_blocking_elsewhere(Function &function) {
  for (CallInst *begin : blocking_begins_of(function))
    for (const Use &use : begin->getArgOperand(0)->stripPointerCasts()->uses())
      if (const auto *call = dyn_cast<CallBase>(use.getUser()))
        if (const Function *callee = call->getCalledFunction();
            !callee || (callee->getName() != kBlockingBegin && callee->getName() != kBlockingEnd &&
                        !callee->isIntrinsic()))
          return true;
  return false;
}

void erase_blocking(Function &function) {
  for (CallInst *stay : stays_of(function))
    stay->eraseFromParent();
  for (CallInst *begin : blocking_begins_of(function))
    begin->eraseFromParent(); // ending a section that has not begun has no effect
}

std::vector<CallInst *> points_of(Function &function) { return calls(function, as_point); }

std::vector<CallInst *> const_assertions_of(Function &function) {
  return calls(function, as_const_assertion);
}

std::vector<CallInst *> one_ofs_of(Function &function) {
  return calls(function, [](Instruction &i) { return as_one_of(i); });
}

llvm::Value *watched_value(CallInst &mark) { return mark.getArgOperand(0); }

Result<Mark> read_mark(const CallInst &point) {
  Mark mark;
  mark.file = constant_string(point.getArgOperand(kFile)).value_or("");
  mark.line = constant_number(point.getArgOperand(kLine));
  const std::string place = mark.file + ":" + std::to_string(mark.line);

  auto label = constant_string(point.getArgOperand(kLabel));
  if (!label || label->empty())
    return std::unexpected(Failure{ErrorCode::label_not_constant, place,
                                   "the label of this point is not a constant, non-empty string",
                                   "write the label as a string literal"});
  if (const std::string problem = label_problem(*label); !problem.empty())
    return std::unexpected(Failure{ErrorCode::bad_value_type, place,
                                   "the label of this point " + problem,
                                   "write the label in UTF-8"});
  mark.label = *label;
  mark.kind = static_cast<PointKind>(constant_number(point.getArgOperand(kKind)));

  mark.type = scalar_type(*point.getArgOperand(0)->getType(), point.getDataLayout(),
                          constant_number(point.getArgOperand(kSigned)) != 0,
                          constant_number(point.getArgOperand(kBool)) != 0 ||
                              mark.kind == PointKind::assume);

  const unsigned count = constant_number(point.getArgOperand(kCount));
  if (count == 0)
    return mark;
  const auto *choices =
      dyn_cast<GlobalVariable>(point.getArgOperand(kChoices)->stripPointerCasts());
  if (!choices || !choices->isConstant() || !choices->hasInitializer())
    return std::unexpected(Failure{ErrorCode::label_not_constant, mark.label,
                                   "the choices at " + place + " are not compile-time constants",
                                   "use constant expressions of the point's type"});
  for (unsigned i = 0; i < count; ++i) {
    Constant *choice = choices->getInitializer()->getAggregateElement(i);
    if (!choice || (mark.type.bits <= 64 && !to_value(*choice, mark.type)))
      return std::unexpected(Failure{
          ErrorCode::label_not_constant, mark.label,
          "choice " + std::to_string(i) + " at " + place + " is not known before the program runs",
          "use numbers, and addresses of or within objects and functions"});
    mark.choices.push_back(choice);
  }
  return mark;
}

void relabel(CallInst &point, StringRef label) {
  Module &module = *point.getModule();
  auto *text = ConstantDataArray::getString(module.getContext(), label);
  point.setArgOperand(kLabel, new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                                 GlobalValue::PrivateLinkage, text));
}

ConstAssertion read_const_assertion(const CallInst &assertion) {
  return {constant_string(assertion.getArgOperand(kText)).value_or(""),
          constant_string(assertion.getArgOperand(kAssertionFile)).value_or(""),
          constant_number(assertion.getArgOperand(kAssertionLine))};
}

ConstAssertion read_one_of(const CallInst &mark) { return read_const_assertion(mark); }

Result<void> raise_marks(Module &module) {
  for (Function &function : module) {
    for (CallInst *call :
         calls(function, [](Instruction &i) { return call_of(i, kWrittenPoint, false); })) {
      Type *type = type_of_temporary(*call);
      if (!type || !is_scalar(*type))
        return std::unexpected(Failure{
            ErrorCode::bad_value_type, constant_string(call->getArgOperand(kLabel)).value_or("?"),
            "the value at " + constant_string(call->getArgOperand(kFile)).value_or("?") + ":" +
                std::to_string(constant_number(call->getArgOperand(kLine))) +
                " is not an integer, bool, enumeration, float, double or pointer",
            "mark a scalar, for example a member of the structure"});
      raise(*call, type, kRaisedPoint, true);
    }
    for (CallInst *call :
         calls(function, [](Instruction &i) { return call_of(i, kWrittenAssertion, false); })) {
      Type *type = type_of_temporary(*call);
      if (type && is_scalar(*type))
        raise(*call, type, kRaisedAssertion, false);
      else
        return std::unexpected(Failure{
            ErrorCode::bad_value_type, constant_string(call->getArgOperand(kText)).value_or("?"),
            "sartor_assert_const() takes a scalar", "assert a member of the structure"});
    }
    for (CallInst *call :
         calls(function, [](Instruction &i) { return call_of(i, kWrittenOneOf, false); })) {
      Type *type = type_of_temporary(*call);
      if (type && is_scalar(*type) && !type->isFloatingPointTy())
        raise(*call, type, kRaisedOneOf, true);
      else
        return std::unexpected(Failure{
            ErrorCode::bad_value_type, constant_string(call->getArgOperand(kText)).value_or("?"),
            "sartor_one_of() takes an integer or a pointer", "mark a member of the structure"});
    }
  }
  for (const char *name : {kLocal, kPublish})
    if (Function *mark = module.getFunction(name)) {
      mark->setDoesNotThrow();
      mark->setWillReturn();
    }
  for (const char *name : {kBlockingBegin, kBlockingEnd})
    if (Function *function =
            module.getFunction(name)) // a process that runs variants has the runtime
      function->setLinkage(GlobalValue::ExternalLinkage);
  for (Function &function : module)
    for (CallInst *end :
         calls(function, [](Instruction &i) { return call_of(i, kBlockingEnd, false); }))
      add_stay(*end);
  if (auto raised = raise_call_points(module); !raised)
    return raised;
  erase_signatures(module);
  return {};
}

void make_generic(CallInst &point) {
  point.replaceAllUsesWith(watched_value(point));
  point.eraseFromParent();
}

void erase_marks(Module &module) {
  erase_locals(module);
  erase_signatures(module);
  erase_call_marks(module);
  for (Function &function : module) {
    for (CallInst *call : points_of(function))
      make_generic(*call);
    for (CallInst *call : one_ofs_of(function))
      make_generic(*call);
    for (CallInst *call : calls(function, [](Instruction &i) -> CallInst * {
           for (const char *name : {kWrittenPoint, kWrittenAssertion, kWrittenOneOf})
             if (CallInst *found = call_of(i, name, false))
               return found;
           CallInst *assertion = as_const_assertion(i);
           return assertion ? assertion : as_stay(i);
         }))
      call->eraseFromParent();
  }
  for (Function &function : make_early_inc_range(module)) {
    const StringRef name = function.getName();
    if (function.use_empty() &&
        (name == kWrittenPoint || name == kWrittenAssertion || name == kWrittenOneOf ||
         name == kStay || name.starts_with(kRaisedPoint) || name.starts_with(kRaisedAssertion) ||
         name.starts_with(kRaisedOneOf)))
      function.eraseFromParent();
  }
}

} // namespace sartor::compiler
