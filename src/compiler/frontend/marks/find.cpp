// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/marks/find.h"

#include <algorithm>
#include <map>
#include <string>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/analysis/purity.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/labels.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"
#include "compiler/frontend/scalar.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::string name_of(const Function &function) { return readable(function) + "()"; }

/// The uses of a function, also through constants.
struct Uses {
  const Function *caller = nullptr;
  const GlobalVariable *table = nullptr;
  bool is_given_away = false;
};

Uses uses_of(const Function &function) {
  Uses uses;
  SmallSetVector<const User *, 8> users(function.user_begin(), function.user_end());
  for (unsigned i = 0; i < users.size(); ++i) {
    const User *user = users[i];
    const auto *call = dyn_cast<CallBase>(user);
    if (call && call->getCalledFunction() == &function)
      uses.caller = call->getFunction();
    else if (const auto *table = dyn_cast<GlobalVariable>(user))
      uses.table = table->getName().starts_with("llvm.") ? uses.table : table;
    else if (isa<Constant>(user))
      users.insert(user->user_begin(), user->user_end());
    else
      uses.is_given_away = true;
  }
  return uses;
}

/// Returns the reason why no handler reaches a function, as far as its uses show, for people.
std::string why_unreached(const Function &function) {
  const std::string name = name_of(function);
  if (const std::string reason = native_only_reason(function); !reason.empty())
    return name + " " + reason;
  const Uses uses = uses_of(function);
  if (uses.table)
    return name + (uses.table->getName().starts_with("_ZTV")
                       ? " is virtual, and no handler calls it on an object whose type is known"
                       : " is called through a table, and no handler's code says which entry");
  if (uses.is_given_away)
    return "the address of " + name + " is stored or given to other code, which calls it";
  if (uses.caller)
    return name + " is called by " + name_of(*uses.caller) + ", which no handler reaches";
  return "nothing in the files with handlers calls " + name + " by name";
}

bool divides(unsigned opcode) {
  return opcode == Instruction::UDiv || opcode == Instruction::SDiv ||
         opcode == Instruction::URem || opcode == Instruction::SRem;
}

// A shift by too large a number is undefined, so the code for a known number may differ.
bool shifts(unsigned opcode) {
  return opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
}

/// The result of following one use: the value is an operand and ends there, is passed on, or is
/// used in another way.
enum class Leads : unsigned char { nowhere, on, astray };

Leads where(const Use &use) {
  const User *user = use.getUser();
  if (const auto *binary = dyn_cast<BinaryOperator>(user)) {
    const unsigned opcode = binary->getOpcode();
    const bool is_second = use.getOperandNo() == 1;
    // The result also depends on other values, so it need not be followed.
    return is_second && (divides(opcode) || shifts(opcode)) ? Leads::astray : Leads::nowhere;
  }
  if (const auto *computes = dyn_cast<IntrinsicInst>(user)) // fused multiply-add, maximum, ...
    return computes->mayHaveSideEffects() || computes->mayReadFromMemory() ? Leads::astray
                                                                           : Leads::nowhere;
  if (isa<CastInst>(user))
    return user->getType()->isPointerTy() ? Leads::astray : Leads::on;
  if (isa<UnaryOperator>(user)) // negation
    return Leads::on;
  if (const auto *store = dyn_cast<StoreInst>(user))
    return use.getOperandNo() == 0 && store->isSimple() ? Leads::nowhere : Leads::astray;
  if (const auto *result = dyn_cast<ReturnInst>(user))
    return is_handler(*result->getFunction()) ? Leads::nowhere : Leads::astray;
  return Leads::astray;
}

/// True if the value of a raised point is used only as an operand: the instructions that use it
/// take any number, and no branch, address, trip count or division depends on the number. Code for
/// another value is then the same code with another number in it.
bool enters_as_operand(const CallInst &mark) {
  const Type *type = mark.getType();
  if (!type->isFloatTy() && !type->isDoubleTy() &&
      !(type->isIntegerTy() && type->getIntegerBitWidth() >= 8 && type->getIntegerBitWidth() <= 64))
    return false;
  if (mark.use_empty())
    return false; // the value is unused
  SmallVector<const llvm::Value *> work{&mark};
  SmallPtrSet<const llvm::Value *, 8> seen{&mark};
  while (!work.empty())
    for (const Use &use : work.pop_back_val()->uses())
      switch (where(use)) {
      case Leads::astray:
        return false;
      case Leads::on:
        if (seen.insert(use.getUser()).second)
          work.push_back(use.getUser());
        break;
      case Leads::nowhere:
        break;
      }
  return true;
}

// The largest number of words that a memo entry of a fast path stores as inputs.
constexpr std::size_t kMostInputs = 4;

/// Follows a pointer to the objects that it may point into, also through calls that pass it as an
/// argument.
class Origin {
public:
  bool is_stack(const llvm::Value &pointer) {
    SmallVector<const llvm::Value *> objects;
    getUnderlyingObjects(&pointer, objects);
    return any_of(objects, [&](const llvm::Value *object) {
      if (isa<AllocaInst>(object))
        return true;
      const auto *parameter = dyn_cast<Argument>(object);
      return parameter && seen_.insert(parameter).second &&
             (parameter->hasPassPointeeByValueCopyAttr() || is_stack_for_any_caller(*parameter));
    });
  }

private:
  bool is_stack_for_any_caller(const Argument &parameter) {
    const Function *function = parameter.getParent();
    return any_of(function->users(), [&](const User *user) {
      const auto *call = dyn_cast<CallBase>(user);
      return call && call->getCalledFunction() == function &&
             parameter.getArgNo() < call->arg_size() &&
             is_stack(*call->getArgOperand(parameter.getArgNo()));
    });
  }

  SmallPtrSet<const Argument *, 8> seen_;
};

/// Returns the reason why the results of a fast path cannot be cached by its inputs, or nothing:
/// there are too many inputs, or one is the address of a variable on the stack, which does not
/// change with the variable's content.
std::string inputs_problem(Function &wrapper, const CallMark &mark) {
  if (mark.arguments.empty() || mark.arguments.size() > kMostInputs)
    return "it takes " + std::to_string(mark.arguments.size()) + " arguments, not 1 to " +
           std::to_string(kMostInputs);
  for (unsigned i = 0; i < mark.arguments.size(); ++i)
    if (wrapper.getArg(i)->getType()->isPointerTy() && Origin().is_stack(*wrapper.getArg(i)))
      return "argument " + std::to_string(i + 1) + " of " + core::readable_name(mark.function) +
             "() may point to a local variable, and answers are remembered by its address, which "
             "says nothing of what it holds; pass the value itself";
  return "";
}

// Returns the readable name without suffixes made by the plugin.
std::string readable(const Function &function) {
  const std::string name = is_handler(function) ? handler_name(function) : function.getName().str();
  return llvm::demangle(StringRef(name).split(".sartor.").first.str());
}

Site site_of(const Mark &mark, const Function &function) {
  Site site{readable(function), mark.file, mark.line, shape_problem(function)};
  if (mark.type.bits > 64)
    site.problem = "the value is wider than 64 bits";
  return site;
}

std::string place_of(const Point &point) {
  return point.sites.front().file + ":" + std::to_string(point.sites.front().line);
}

/// A point found in the code.
struct Found {
  Point point;
  Site site;
  Function *function; ///< The wrapper, for a call point.
  CallInst *mark;     ///< Null for a call point.
  std::string place;  ///< The readable name of the function that contains the point: f<int>
};

Found found_call_point(Function &wrapper) {
  const CallMark mark = read_call_mark(wrapper);
  Found found{to_point(mark), {"", mark.file, mark.line, ""}, &wrapper, nullptr, ""};
  for (const User *user : wrapper.users())
    if (const auto *call = dyn_cast<CallBase>(user)) {
      found.site.function = readable(*call->getFunction());
      found.place = core::readable_name(call->getFunction()->getName().str());
    }
  if (found.point.kind == PointKind::fast_path) {
    const Purity purity = purity_of(*wrapped_call(wrapper).getCalledFunction());
    found.site.problem = purity.side_effect.empty()
                             ? inputs_problem(wrapper, mark)
                             : core::readable_name(mark.function) + "() " + purity.side_effect;
    found.point.reads_memory = purity.reads_memory;
  }
  return found;
}

Result<std::vector<Found>> all_points(Module &module) {
  std::vector<Found> all;
  for (Function &function : module) {
    if (is_call_point(function)) {
      if (auto problem = call_mark_problem(function))
        return std::unexpected(std::move(*problem));
      all.push_back(found_call_point(function));
      continue;
    }
    for (CallInst *call : points_of(function)) {
      auto mark = read_mark(*call);
      if (!mark)
        return std::unexpected(std::move(mark.error()));
      all.push_back({to_point(*mark), site_of(*mark, function), &function, call,
                     core::readable_name(function.getName().str())});
      all.back().point.is_operand = mark->kind != PointKind::assume && enters_as_operand(*call) &&
                                    all.back().site.problem.empty();
    }
  }
  return all;
}

void name_instance(Found &found) {
  found.point.label += "@" + found.place;
  if (found.mark)
    relabel(*found.mark, found.point.label);
  else
    relabel_call(*found.function, found.point.label);
}

// Gives each instance of a template a point of its own: the instances share one label but may
// differ in type.
void distinguish_instances(std::vector<Found> &all) {
  std::map<std::string, std::vector<Found *>> by_label;
  for (Found &found : all)
    by_label[found.point.label].push_back(&found);
  for (auto &[label, points] : by_label) {
    const Found &first = *points.front();
    const bool differ = std::ranges::any_of(
        points, [&](const Found *other) { return !difference(first.point, other->point).empty(); });
    const bool are_instances = std::ranges::all_of(
        points, [&](const Found *other) { return are_of_one_template(first.place, other->place); });
    if (differ && are_instances)
      std::ranges::for_each(points, [](Found *found) { name_instance(*found); });
  }
}

/// Collects the points of a module by label.
class Points {
public:
  Result<void> add(Found found) {
    const std::string label = found.point.label;
    Point &point = points.try_emplace(label, found.point).first->second;
    const std::string place = found.site.file + ":" + std::to_string(found.site.line);
    if (auto problem = choices_problem(found.point, place))
      return std::unexpected(std::move(*problem));
    if (const std::string differ = difference(point, found.point); !differ.empty())
      return std::unexpected(conflict(label, place_of(point), place, differ));
    point.reads_memory |= found.point.reads_memory;
    point.is_operand &= found.point.is_operand;
    if (std::ranges::find(point.sites, found.site) == point.sites.end())
      point.sites.push_back(std::move(found.site));
    labels[found.function].push_back(label);
    return {};
  }

  std::map<std::string, Point> points;
  std::map<Function *, std::vector<std::string>> labels;
};

/// Returns for each function the handlers that can reach it.
std::map<Function *, std::vector<std::string>> handlers_reaching(Module &module) {
  std::map<Function *, std::vector<std::string>> reaching;
  References references;
  for (Function &function : module)
    if (is_handler(function) && native_only_reason(function).empty())
      for (Function *reached : reachable_functions(function, references))
        reaching[reached].push_back(handler_name(function));
  return reaching;
}

} // namespace

Result<Space> find_points(Module &module) {
  auto all = all_points(module);
  if (!all)
    return std::unexpected(std::move(all.error()));
  distinguish_instances(*all);
  const std::map<Function *, std::vector<std::string>> reaching = handlers_reaching(module);
  Points found;
  for (Found &point : *all) {
    if (!reaching.contains(point.function) && point.site.problem.empty())
      point.site.unreached = why_unreached(*point.function);
    if (auto added = found.add(std::move(point)); !added)
      return std::unexpected(std::move(added.error()));
  }
  for (const auto &[function, labels] : found.labels)
    if (const auto handlers = reaching.find(function); handlers != reaching.end())
      for (const std::string &label : labels)
        std::ranges::copy(handlers->second, std::back_inserter(found.points.at(label).handlers));
  std::vector<Point> points;
  for (auto &[label, point] : found.points) {
    std::ranges::sort(point.handlers);
    const auto repeated = std::ranges::unique(point.handlers);
    point.handlers.erase(repeated.begin(), repeated.end());
    points.push_back(std::move(point));
  }
  return Space(std::move(points));
}

} // namespace sartor::compiler
