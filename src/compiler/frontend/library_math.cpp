// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/library_math.h"

#include <array>
#include <cfenv>
#include <cmath>
#include <optional>
#include <string>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

struct MathFunction {
  StringRef name; ///< The function for double; an added f names the one for float.
  double (*of_double)(double) = nullptr;
  float (*of_float)(float) = nullptr;
  double (*of_doubles)(double, double) = nullptr;
  float (*of_floats)(float, float) = nullptr;
  Intrinsic::ID intrinsic = Intrinsic::not_intrinsic;
  bool is_exact = false; ///< LLVM computes the same results.
};

#if LLVM_VERSION_MAJOR < 20
constexpr Intrinsic::ID kAtan2 = Intrinsic::not_intrinsic;
#else
constexpr Intrinsic::ID kAtan2 = Intrinsic::atan2;
#endif

// Other exactly rounded functions (sqrt, fabs, floor, ...) are missing. fmod() is here because LLVM
// replaces it by an frem that excludes NaN if the first argument is finite and the second is not
// zero, even if the second is NaN (LibCallSimplifier::optimizeFMod(), seen in LLVM 22).
const std::array kFunctions = {
    MathFunction{"sin", ::sin, ::sinf, nullptr, nullptr, Intrinsic::sin},
    MathFunction{"cos", ::cos, ::cosf, nullptr, nullptr, Intrinsic::cos},
    MathFunction{"tan", ::tan, ::tanf, nullptr, nullptr, Intrinsic::tan},
    MathFunction{"asin", ::asin, ::asinf, nullptr, nullptr, Intrinsic::asin},
    MathFunction{"acos", ::acos, ::acosf, nullptr, nullptr, Intrinsic::acos},
    MathFunction{"atan", ::atan, ::atanf, nullptr, nullptr, Intrinsic::atan},
    MathFunction{"sinh", ::sinh, ::sinhf, nullptr, nullptr, Intrinsic::sinh},
    MathFunction{"cosh", ::cosh, ::coshf, nullptr, nullptr, Intrinsic::cosh},
    MathFunction{"tanh", ::tanh, ::tanhf, nullptr, nullptr, Intrinsic::tanh},
    MathFunction{"asinh", ::asinh, ::asinhf},
    MathFunction{"acosh", ::acosh, ::acoshf},
    MathFunction{"atanh", ::atanh, ::atanhf},
    MathFunction{"exp", ::exp, ::expf, nullptr, nullptr, Intrinsic::exp},
    MathFunction{"exp2", ::exp2, ::exp2f, nullptr, nullptr, Intrinsic::exp2},
    MathFunction{"exp10", ::exp10, ::exp10f, nullptr, nullptr, Intrinsic::exp10},
    MathFunction{"expm1", ::expm1, ::expm1f},
    MathFunction{"log", ::log, ::logf, nullptr, nullptr, Intrinsic::log},
    MathFunction{"log2", ::log2, ::log2f, nullptr, nullptr, Intrinsic::log2},
    MathFunction{"log10", ::log10, ::log10f, nullptr, nullptr, Intrinsic::log10},
    MathFunction{"log1p", ::log1p, ::log1pf},
    MathFunction{"cbrt", ::cbrt, ::cbrtf},
    MathFunction{"erf", ::erf, ::erff},
    MathFunction{"erfc", ::erfc, ::erfcf},
    MathFunction{"tgamma", ::tgamma, ::tgammaf},
    MathFunction{"pow", nullptr, nullptr, ::pow, ::powf, Intrinsic::pow},
    MathFunction{"atan2", nullptr, nullptr, ::atan2, ::atan2f, kAtan2},
    MathFunction{"fmod", nullptr, nullptr, ::fmod, ::fmodf, Intrinsic::not_intrinsic, true},
    MathFunction{"hypot", nullptr, nullptr, ::hypot, ::hypotf},
};

std::string name_for(const MathFunction &function, const Type &type) {
  return function.name.str() + (type.isFloatTy() ? "f" : "");
}

bool is_called_as(const CallBase &call, const MathFunction &function) {
  const Type *type = call.getType();
  return (type->isFloatTy() || type->isDoubleTy()) &&
         call.arg_size() == (function.of_double ? 1 : 2) &&
         all_of(call.args(), [&](const Use &argument) { return argument->getType() == type; });
}

const MathFunction *library_function(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic())
    return nullptr;
  const auto *found = find_if(kFunctions, [&](const MathFunction &function) {
    return is_called_as(call, function) && callee->getName() == name_for(function, *call.getType());
  });
  return found == kFunctions.end() ? nullptr : found;
}

const MathFunction *library_intrinsic(const CallBase &call) {
  const auto id = call.getIntrinsicID();
  const auto *found = find_if(kFunctions, [&](const MathFunction &function) {
    return id != Intrinsic::not_intrinsic && function.intrinsic == id &&
           is_called_as(call, function);
  });
  return found == kFunctions.end() ? nullptr : found;
}

bool is_float_or_double(const Type &type) { return type.isFloatTy() || type.isDoubleTy(); }

bool is_power(const CallBase &call) {
  return call.getIntrinsicID() == Intrinsic::powi && is_float_or_double(*call.getType()) &&
         call.getArgOperand(1)->getType()->isIntegerTy(32);
}

/// Returns the compiler's runtime function for such a power.
StringRef power_function(const Type &type) { return type.isFloatTy() ? "__powisf2" : "__powidf2"; }

/// Finds out whether a caller passes a constant by which the native code may know an argument.
class NativeKnowledge {
public:
  bool reaches(const llvm::Value &value) {
    const auto *parameter = dyn_cast<Argument>(&value);
    if (!parameter || !seen_.insert(parameter).second)
      return false;
    const Function *function = parameter->getParent();
    return llvm::any_of(function->users(), [&](const User *user) {
      const auto *call = dyn_cast<CallBase>(user);
      if (!call || call->getCalledFunction() != function ||
          parameter->getArgNo() >= call->arg_size())
        return false;
      const llvm::Value *passed = call->getArgOperand(parameter->getArgNo());
      return isa<Constant>(passed) || reaches(*passed);
    });
  }

private:
  SmallPtrSet<const Argument *, 8> seen_;
};

bool native_may_know(const CallBase &call) {
  return llvm::any_of(call.args(),
                      [](const Use &argument) { return NativeKnowledge().reaches(*argument); });
}

bool native_may_compute(const CallBase &call) {
  return all_of(call.args(), [](const Use &argument) {
    return isa<Constant>(argument) || NativeKnowledge().reaches(*argument);
  });
}

// Returns a power with a known exponent as products, inserted before the call: the operations of
// the runtime function, and of LLVM's code generation. Null if the exponent is not known.
llvm::Value *products(CallBase &call) {
  const auto *exponent = dyn_cast<ConstantInt>(call.getArgOperand(1));
  if (!exponent)
    return nullptr;
  Type *type = call.getType();
  IRBuilder<> builder(&call);
  llvm::Value *square = call.getArgOperand(0);
  llvm::Value *product = nullptr;
  for (auto left = exponent->getValue().abs().getZExtValue(); left != 0; left /= 2) {
    if (left % 2 != 0)
      product = product ? builder.CreateFMul(product, square) : square;
    if (left > 1)
      square = builder.CreateFMul(square, square);
  }
  Constant *one = ConstantFP::get(type, 1.0);
  if (!product)
    return one;
  return exponent->isNegative() ? builder.CreateFDiv(one, product) : product;
}

bool may_be_approximated(const CallBase &call) {
  return isa<FPMathOperator>(call) && call.hasApproxFunc();
}

// True for intrinsics of vectors that code generation computes element by element, by calls.
bool is_of_vectors(const CallBase &call) {
  const auto *type = dyn_cast<FixedVectorType>(call.getType());
  const auto id = call.getIntrinsicID();
  return type && is_float_or_double(*type->getElementType()) && id != Intrinsic::not_intrinsic &&
         (id == Intrinsic::powi || llvm::any_of(kFunctions, [&](const MathFunction &function) {
            return function.intrinsic == id;
          }));
}

void compute_by_element(CallBase &call) {
  const auto *type = cast<FixedVectorType>(call.getType());
  SmallVector<Type *, 2> types{type->getElementType()};
  if (call.getIntrinsicID() == Intrinsic::powi)
    types.push_back(call.getArgOperand(1)->getType());
  IRBuilder<> builder(&call);
  builder.setFastMathFlags(call.getFastMathFlags());
  llvm::Value *result = PoisonValue::get(call.getType());
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    SmallVector<llvm::Value *, 2> arguments;
    for (const Use &argument : call.args())
      arguments.push_back(argument->getType()->isVectorTy()
                              ? builder.CreateExtractElement(argument.get(), i)
                              : argument.get());
    result = builder.CreateInsertElement(
        result, builder.CreateIntrinsic(call.getIntrinsicID(), types, arguments), i);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

// Replaces an intrinsic by a library call. Without -fmath-errno, clang emits intrinsics, which LLVM
// would compute itself.
CallBase *as_library_call(CallBase &intrinsic, StringRef name) {
  Module &module = *intrinsic.getModule();
  auto *callee =
      dyn_cast<Function>(module.getOrInsertFunction(name, intrinsic.getFunctionType()).getCallee());
  if (!callee || !callee->isDeclaration())
    return nullptr;
  IRBuilder<> builder(&intrinsic);
  CallInst *call = builder.CreateCall(callee, SmallVector<llvm::Value *, 2>(intrinsic.args()));
  call->setFastMathFlags(intrinsic.getFastMathFlags());
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  call->addFnAttr(Attribute::WillReturn);
  intrinsic.replaceAllUsesWith(call);
  intrinsic.eraseFromParent();
  return call;
}

template <class T> std::optional<T> number(const CallBase &call, unsigned argument) {
  const auto *constant = dyn_cast<ConstantFP>(call.getArgOperand(argument));
  if (!constant)
    return std::nullopt;
  if constexpr (std::is_same_v<T, float>)
    return constant->getValueAPF().convertToFloat();
  else
    return constant->getValueAPF().convertToDouble();
}

template <class T> Constant *compute(const CallBase &call, T (*of_one)(T), T (*of_two)(T, T)) {
  const auto first = number<T>(call, 0);
  const auto second = of_two ? number<T>(call, 1) : first;
  if (!first || !second)
    return nullptr;
  std::feclearexcept(FE_ALL_EXCEPT);
  const T result = of_two ? of_two(*first, *second) : of_one(*first);
  // A call that would set errno or return a value that is not finite remains a call.
  if (std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) || !std::isfinite(result))
    return nullptr;
  return ConstantFP::get(call.getContext(), APFloat(result));
}

} // namespace

void call_library_math(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && is_of_vectors(*call) && !may_be_approximated(*call) && !call->isStrictFP() &&
          !native_may_know(*call))
        compute_by_element(*call);
  std::vector<std::pair<CallBase *, std::string>> intrinsics;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || may_be_approximated(*call) || call->isStrictFP())
        continue;
      const MathFunction *called = library_function(*call);
      const MathFunction *known = called ? nullptr : library_intrinsic(*call);
      if (!called && !known && !is_power(*call))
        continue;
      if (is_power(*call) ? native_may_compute(*call)
                          : !(called && called->is_exact) && native_may_know(*call))
        continue;
      if (called)
        call->addFnAttr(Attribute::NoBuiltin);
      else
        intrinsics.emplace_back(call, known ? name_for(*known, *call->getType())
                                            : power_function(*call->getType()).str());
    }
  for (const auto &[intrinsic, name] : intrinsics)
    if (llvm::Value *power = is_power(*intrinsic) ? products(*intrinsic) : nullptr) {
      intrinsic->replaceAllUsesWith(power);
      intrinsic->eraseFromParent();
    } else if (CallBase *call = as_library_call(*intrinsic, name)) {
      call->addFnAttr(Attribute::NoBuiltin);
    }
}

llvm::Value *expand_power(CallBase &call) {
  const Function *callee = call.getCalledFunction();
  const bool is_ours = callee && call.isNoBuiltin() && callee->isDeclaration() &&
                       is_float_or_double(*call.getType()) && call.arg_size() == 2 &&
                       callee->getName() == power_function(*call.getType());
  return is_ours ? products(call) : nullptr;
}

Constant *compute_library_call(const CallBase &call) {
  const MathFunction *function = call.isNoBuiltin() ? library_function(call) : nullptr;
  if (!function || call.isStrictFP())
    return nullptr;
  return call.getType()->isFloatTy() ? compute(call, function->of_float, function->of_floats)
                                     : compute(call, function->of_double, function->of_doubles);
}

} // namespace sartor::compiler
