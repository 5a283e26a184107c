// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/constant_globals.h"

#include <array>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Functions of the C library that access at most errno and their arguments; also with the suffix f.
constexpr auto kMath = std::to_array<StringRef>(
    {"acos",  "acosh", "asin", "asinh", "atan", "atan2",     "atanh", "cbrt",  "ceil",
     "cos",   "cosh",  "erf",  "erfc",  "exp",  "exp10",     "exp2",  "expm1", "fabs",
     "floor", "fma",   "fmax", "fmin",  "fmod", "frexp",     "hypot", "ldexp", "log",
     "log10", "log1p", "log2", "logb",  "modf", "nearbyint", "pow",   "rint",  "round",
     "sin",   "sinh",  "sqrt", "tan",   "tanh", "trunc"});

bool is_math(const Function &function) {
  const Type *type = function.getReturnType();
  StringRef name = function.getName();
  return (type->isDoubleTy() && is_contained(kMath, name)) ||
         (type->isFloatTy() && name.consume_back("f") && is_contained(kMath, name));
}

bool is_plain(const Use &use, const GlobalVariable &variable) {
  const User *user = use.getUser();
  if (const auto *load = dyn_cast<LoadInst>(user))
    return load->getType() == variable.getValueType();
  const auto *store = dyn_cast<StoreInst>(user);
  return store && use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
         store->getValueOperand()->getType() == variable.getValueType();
}

bool is_ordinary(const User *user) {
  const auto *instruction = dyn_cast<Instruction>(user);
  return !instruction || (!instruction->isAtomic() && !instruction->isVolatile());
}

// Returns the reason why code that this module does not show may write a variable, or a thread may
// rely on something else than synchronization.
std::string problem_of(const GlobalVariable &variable) {
  const Type *type = variable.getValueType();
  if (!(type->isIntegerTy() && type->getIntegerBitWidth() <= 64) && !type->isFloatTy() &&
      !type->isDoubleTy())
    return "is no number";
  if (variable.isThreadLocal())
    return "is another in each thread";
  if (!variable.hasLocalLinkage())
    return "is not static: other files may write it";
  if (variable.isExternallyInitialized() || variable.hasSection())
    return "is in a section of its own";
  if (!all_of(variable.users(), is_ordinary))
    return "is volatile or atomic";
  if (!all_of(variable.uses(), [&](const Use &use) { return is_plain(use, variable); }) ||
      StringRef(variable.getParent()->getModuleInlineAsm()).contains(variable.getName()))
    return "is not only read and written: its address may be known elsewhere";
  return "";
}

std::string name_of(const Function &function) {
  return core::readable_name(function.getName().str()) + "()";
}

// Returns the reason why threads may synchronize in a call of a function that has no definition
// here, or that is an intrinsic.
std::string problem_of_unknown(const CallBase &call, const Function &callee) {
  if (const auto *memory = dyn_cast<MemIntrinsic>(&call))
    return memory->isVolatile() ? "has volatile accesses" : "";
  const bool never_continues = call.doesNotReturn() && call.doesNotThrow();
  const bool is_quiet = call.hasFnAttr(Attribute::NoSync) && call.hasFnAttr(Attribute::NoCallback);
  if (call.doesNotAccessMemory() || never_continues || is_quiet || is_math(callee) ||
      callee.getName() == "sartor_point_")
    return "";
  return "calls " + name_of(callee) + ", which is not in this file";
}

} // namespace

ConstantGlobals::ConstantGlobals(const Function &function) : function_(function) {
  reached_.insert(&function);
  for (unsigned i = 0; i < reached_.size(); ++i)
    follow(*reached_[i]);
}

std::string ConstantGlobals::why_not(const GlobalVariable &variable) const {
  if (std::string problem = problem_of(variable); !problem.empty())
    return problem;
  if (written_.contains(&variable))
    return "is written by the function, or by one that it calls";
  return problem_.empty() ? "" : "may be written by another thread: the function " + problem_;
}

void ConstantGlobals::follow(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    look_at(instruction);
}

void ConstantGlobals::look_at(const Instruction &instruction) {
  const bool is_known = !problem_.empty();
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    if (const auto *variable = dyn_cast<GlobalVariable>(store->getPointerOperand()))
      written_.insert(variable);
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    follow_call(*call);
  else if (instruction.isAtomic())
    problem_ = "has atomic accesses or fences";
  else if (instruction.isVolatile())
    problem_ = "has volatile accesses";
  if (!is_known && !problem_.empty() && instruction.getFunction() != &function_)
    problem_ = "calls " + name_of(*instruction.getFunction()) + ", which " + problem_;
}

void ConstantGlobals::follow_call(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  std::string problem;
  if (call.isInlineAsm()) {
    if (call.mayReadOrWriteMemory())
      problem = "has inline assembly that accesses memory";
  } else if (!callee) {
    problem = "calls by pointer";
  } else if (callee->isDeclaration()) {
    problem = problem_of_unknown(call, *callee);
  } else if (callee->isInterposable()) {
    problem = "calls " + name_of(*callee) + ", which another definition may replace";
  } else if (callee->isPresplitCoroutine()) {
    problem = "calls " + name_of(*callee) + ", a coroutine";
  } else {
    reached_.insert(callee);
  }
  if (problem_.empty())
    problem_ = std::move(problem);
}

} // namespace sartor::compiler
