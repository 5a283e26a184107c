// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/foreign.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

#include "base/result.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/prepare.h"
#include "compiler/plugin/sections.h"
#include "core/space/signature.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

using core::Parameter;

// Front ends other than clang have no annotations and no half of this plugin. They describe
// functions in this section, one row for each. Programs also read it, to find a handler's name by
// its address.
constexpr const char *kFunctionSection = "sartor_functions";

enum RowKind : std::uint64_t { kHandler = 1, kDirect = 2, kFold = 4 };

// The layout of a row: two addresses, of the function and of its name; its kind and its number of
// parameters; for each parameter a class, its bits, its number of arguments, and its bytes.
// (bindings/rust/sartor/src/row.rs)
constexpr std::uint64_t kName = 8;
constexpr std::uint64_t kKind = 16;
constexpr std::uint64_t kParameterCount = 20;
constexpr std::uint64_t kParameters = 24;
constexpr std::uint64_t kParameterSize = 8;

/// Reads the contents of a variable, whatever its type.
class Contents {
public:
  explicit Contents(const GlobalVariable &variable)
      : variable_(variable), layout_(variable.getDataLayout()) {}

  [[nodiscard]] std::uint64_t number(std::uint64_t at, unsigned bytes) const {
    const auto *value = dyn_cast_or_null<ConstantInt>(
        load(IntegerType::get(variable_.getContext(), 8 * bytes), at));
    return value ? value->getZExtValue() : 0;
  }
  [[nodiscard]] Constant *address(std::uint64_t at) const {
    Constant *value = load(PointerType::getUnqual(variable_.getContext()), at);
    return value ? value->stripPointerCasts() : nullptr;
  }

private:
  [[nodiscard]] Constant *load(Type *type, std::uint64_t at) const {
    return ConstantFoldLoadFromConst(const_cast<Constant *>(variable_.getInitializer()), type,
                                     APInt(64, at), layout_);
  }

  const GlobalVariable &variable_;
  const DataLayout &layout_;
};

bool is_of(const Type &type, const Parameter &parameter, unsigned bytes) {
  if (parameter.kind == Parameter::Kind::object)
    return type.isPointerTy() ? bytes == 8 : type.isIntegerTy(8 * bytes);
  switch (parameter.type.kind) {
  case PointType::Class::boolean:
    return type.isIntegerTy(1);
  case PointType::Class::integer:
    return type.isIntegerTy(parameter.type.bits);
  case PointType::Class::floating:
    return parameter.type.bits == 32 ? type.isFloatTy() : type.isDoubleTy();
  case PointType::Class::pointer:
    return type.isPointerTy();
  }
  return false;
}

bool set_class(Parameter &parameter, char letter, unsigned bits) {
  parameter.kind = letter == 'o' ? Parameter::Kind::object : Parameter::Kind::scalar;
  switch (letter) {
  case 's':
  case 'u':
    parameter.type = {PointType::Class::integer, bits, letter == 's'};
    return true;
  case 'b':
    parameter.type = {PointType::Class::boolean, bits, false};
    return true;
  case 'f':
    parameter.type = {PointType::Class::floating, bits, false};
    return true;
  case 'p':
    parameter.type = {PointType::Class::pointer, bits, false};
    return true;
  default:
    return letter == 'o';
  }
}

std::string text_of(char letter, const Parameter &parameter) {
  switch (letter) {
  case 'o':
    return "an object of " + std::to_string(parameter.bytes) + " bytes";
  case 'p':
    return "a pointer";
  case 'b':
    return "bool";
  case 's':
    return "i" + std::to_string(parameter.type.bits);
  default:
    return letter + std::to_string(parameter.type.bits);
  }
}

/// Returns how the source's parameters became arguments of this function, if the row agrees with
/// it.
Result<core::Signature> signature_of(const Contents &row, const Function &function,
                                     const std::string &name) {
  const auto refuse = [&](const std::string &what) {
    return std::unexpected(
        Failure{ErrorCode::wrong_signature, name, what, "pass numbers, references and slices"});
  };
  core::Signature signature;
  signature.arguments = static_cast<unsigned>(function.arg_size());
  signature.result.kind =
      function.getReturnType()->isVoidTy() ? Parameter::Kind::nothing : Parameter::Kind::unknown;
  unsigned next = 0;
  if (function.hasStructRetAttr()) {
    signature.result.kind = Parameter::Kind::object;
    signature.result.passing = Parameter::Passing::address;
    signature.result.bytes = static_cast<unsigned>(
        function.getDataLayout().getTypeAllocSize(function.getParamStructRetType(0)));
    signature.result.pieces = {{next++, 0, signature.result.bytes}};
  }
  const std::uint64_t count = row.number(kParameterCount, 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = kParameters + i * kParameterSize;
    const auto words = static_cast<unsigned>(row.number(at + 2, 2));
    Parameter parameter;
    parameter.bytes = static_cast<unsigned>(row.number(at + 4, 4));
    const char letter = static_cast<char>(row.number(at, 1));
    if (!set_class(parameter, letter, static_cast<unsigned>(row.number(at + 1, 1))))
      return refuse("parameter " + std::to_string(i) + " is of no class that is known");
    for (unsigned word = 0; word < words; ++word, ++next) {
      const unsigned bytes = parameter.bytes / words;
      if (next >= function.arg_size() ||
          !is_of(*function.getArg(next)->getType(), parameter, bytes))
        return refuse("parameter " + std::to_string(i) + " is not passed as " +
                      text_of(letter, parameter));
      parameter.pieces.push_back({next, word * bytes, bytes});
    }
    signature.parameters.push_back(std::move(parameter));
  }
  if (next != function.arg_size())
    return refuse("has arguments that no parameter stands for");
  return signature;
}

bool is_row(const GlobalVariable &variable) {
  return variable.getSection() == kFunctionSection && variable.hasInitializer();
}

bool has_rows(const Module &module) { return any_of(module.globals(), is_row); }

/// Attaches the information in rows to functions; reports invalid rows as errors of the context.
void adopt_rows(Module &module) {
  LLVMContext &context = module.getContext();
  for (const GlobalVariable &variable : module.globals()) {
    if (!is_row(variable))
      continue;
    const Contents row(variable);
    auto *function = dyn_cast_or_null<Function>(row.address(0));
    const Constant *text = row.address(kName);
    const auto name = text ? compiler::constant_string(text) : std::nullopt;
    if (!function || !name) {
      context.emitError("sartor: bad_bitcode: \"" + variable.getName() +
                        "\": names no function of this module");
      continue;
    }
    // The attribute only prevented rustc from copying the function to other crates.
    function->removeFnAttr(Attribute::NoInline);
    const std::uint64_t kind = row.number(kKind, 4);
    if (kind & kHandler) {
      auto signature = signature_of(row, *function, *name);
      if (!signature) {
        context.emitError("sartor: " + signature.error().text());
        continue;
      }
      compiler::name_handler(*function, *name);
      compiler::set_signature(
          *function, MDNode::get(context, MDString::get(context, core::to_text(*signature))));
    }
    if (kind & kDirect)
      compiler::make_direct(*function);
    if (kind & kFold)
      function->addFnAttr(compiler::kFoldAttribute);
  }
}

constexpr const char *kPoint = "sartor_point_";
constexpr const char *kIsConstant = "sartor_is_constant_"; // a builtin function in C
constexpr const char *kMarks[] = {kPoint,      "sartor_call_point_", "sartor_assert_const_",
                                  kIsConstant, "sartor_one_of_",     "sartor_local_"};
// The operands of a point that contain its choices and their number.
enum Operand : unsigned { kChoices = 5, kCount = 6 };

std::vector<CallInst *> marks_of(Module &module) {
  std::vector<CallInst *> found;
  for (const char *name : kMarks)
    if (Function *mark = module.getFunction(name))
      for (User *user : mark->users())
        if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == mark)
          found.push_back(call);
  return found;
}

// rustc gives variables on the stack a size, but no type.
AllocaInst *temporary_of_bytes(const CallInst &mark) {
  auto *temporary = dyn_cast<AllocaInst>(mark.getArgOperand(0)->stripPointerCasts());
  const auto *type = temporary ? dyn_cast<ArrayType>(temporary->getAllocatedType()) : nullptr;
  return type && type->getElementType()->isIntegerTy(8) ? temporary : nullptr;
}

// The type is that of the value stored just before.
Type *type_of_value(const AllocaInst &temporary) {
  for (const User *user : temporary.users())
    if (const auto *store = dyn_cast<StoreInst>(user);
        store && store->getPointerOperand() == &temporary)
      return store->getValueOperand()->getType();
  return nullptr;
}

void give_type(AllocaInst &temporary, Type &type) {
  auto *typed = new AllocaInst(&type, temporary.getAddressSpace(), nullptr, temporary.getAlign(),
                               "", temporary.getIterator());
  typed->takeName(&temporary);
  temporary.replaceAllUsesWith(typed);
  temporary.eraseFromParent();
}

// Constants of rustc are bytes with addresses between them.
void give_type_to_choices(CallInst &point, Type &type) {
  const auto *list = dyn_cast<GlobalVariable>(point.getArgOperand(kChoices)->stripPointerCasts());
  if (!list || !list->isConstant() || !list->hasDefinitiveInitializer())
    return;
  const DataLayout &layout = point.getDataLayout();
  const std::uint64_t size = layout.getTypeAllocSize(&type);
  SmallVector<Constant *> choices;
  for (unsigned i = 0; i < compiler::constant_number(point.getArgOperand(kCount)); ++i) {
    Constant *choice = ConstantFoldLoadFromConst(const_cast<Constant *>(list->getInitializer()),
                                                 &type, APInt(64, i * size), layout);
    if (!choice)
      return;
    choices.push_back(choice);
  }
  auto *array = ConstantArray::get(ArrayType::get(&type, choices.size()), choices);
  point.setArgOperand(kChoices,
                      new GlobalVariable(*point.getModule(), array->getType(), /*isConstant=*/true,
                                         GlobalValue::PrivateLinkage, array, "sartor.choices"));
}

// Gives a mark texts of its own, which disappear with it; rustc merges them with equal texts of
// other code.
void give_texts(CallInst &mark) {
  Module &module = *mark.getModule();
  for (unsigned i = 1; i < mark.arg_size(); ++i)
    if (mark.getArgOperand(i)->getType()->isPointerTy())
      if (const auto text = compiler::constant_string(mark.getArgOperand(i)); text && i != kChoices)
        mark.setArgOperand(i, make_string(module, *text));
}

// If the type is not known, the answer is false.
void ask_whether_constant(CallInst &mark, AllocaInst *temporary) {
  IRBuilder<> builder(&mark);
  llvm::Value *answer = builder.getInt32(0);
  if (temporary) {
    llvm::Value *value = builder.CreateLoad(temporary->getAllocatedType(), temporary);
    answer = builder.CreateZExt(
        builder.CreateIntrinsic(Intrinsic::is_constant, {value->getType()}, {value}),
        mark.getType());
  }
  mark.replaceAllUsesWith(answer);
  mark.eraseFromParent();
}

// True if there are marks whose temporaries are byte arrays without another type.
bool has_marks_of_bytes(Module &module) {
  return any_of(marks_of(module), [](const CallInst *mark) { return temporary_of_bytes(*mark); });
}

void adopt_marks(Module &module) {
  for (CallInst *mark : marks_of(module)) {
    const StringRef name = mark->getCalledFunction()->getName();
    give_texts(*mark);
    AllocaInst *const temporary = temporary_of_bytes(*mark);
    if (Type *type = temporary ? type_of_value(*temporary) : nullptr) {
      give_type(*temporary, *type);
      if (name == kPoint)
        give_type_to_choices(*mark, *type);
    }
    if (name == kIsConstant)
      ask_whether_constant(*mark,
                           dyn_cast<AllocaInst>(mark->getArgOperand(0)->stripPointerCasts()));
  }
}

} // namespace

PreservedAnalyses AdoptPass::run(Module &module, ModuleAnalysisManager &analyses) {
  if (!has_rows(module) && !has_marks_of_bytes(module))
    return PreservedAnalyses::all();
  adopt_rows(module);
  // Functions set marks, because Rust has no macros that know types; labels are constants in the
  // callers, so these functions are inlined.
  AlwaysInlinerPass().run(module, analyses);
  adopt_marks(module);
  return PreservedAnalyses::none();
}

} // namespace sartor::compiler
