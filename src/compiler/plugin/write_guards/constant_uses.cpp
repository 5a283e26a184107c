// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/constant_uses.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BuildLibCalls.h>

#include "compiler/frontend/llvm_version.h"
#include "compiler/plugin/assembly.h"
#include "compiler/plugin/write_guards/writes.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// True if a symbol is that of a variable; clang may have added a suffix to the symbol of a C
/// static local variable.
bool is_symbol_of(StringRef symbol, StringRef variable) {
  return symbol.consume_front(variable) &&
         (symbol.empty() || (variable.contains('.') && symbol.consume_front(".") &&
                             symbol.find_first_not_of("0123456789") == StringRef::npos));
}

/// True for lists made by LLVM or Sartor.
bool is_of_the_compiler(const GlobalVariable &variable) {
  return variable.getName().starts_with("llvm.") || variable.getSection().starts_with("sartor");
}

/// True if clang has generated the function to initialize a variable, before any quasi-invariant
/// depends on it, or to find a thread-local variable.
bool is_of_initialization(const Function &function) {
  return any_of(ArrayRef<StringRef>{"__cxx_global_var_init", "__cxx_global_array_dtor", "_GLOBAL__",
                                    "__tls_init", "__dtor_", "_ZTW"},
                [&](StringRef name) { return function.getName().starts_with(name); });
}

bool ends_an_object(const Function &called) {
  return called.getName() == "__cxa_atexit" || called.getName() == "__cxa_thread_atexit";
}

} // namespace

void ConstantUses::list() {
  for (const WatchedVariable &watched : table_.variables)
    for (GlobalVariable &variable : module_.globals())
      if (is_symbol_of(variable.getName(), watched.symbol)) {
        watched_ = &watched;
        list_uses(variable);
      }
}

void ConstantUses::list_uses(GlobalVariable &variable) {
  variable_ = &variable;
  seen_.clear();
  hold(variable, 0);
  while (!waiting_.empty()) {
    const Address address = waiting_.back();
    waiting_.pop_back();
    if (seen_.insert(address.value).second)
      follow(address);
  }
  list_named_in_assembly(variable);
}

void ConstantUses::follow(const Address &address) {
  for (Use &use : address.value->uses()) {
    if (auto *instruction = dyn_cast<Instruction>(use.getUser()))
      follow_instruction(*instruction, use, address);
    else if (auto *constant = dyn_cast<Constant>(use.getUser()))
      follow_constant(*constant, address);
  }
}

void ConstantUses::follow_constant(Constant &user, const Address &address) {
  if (auto *step = dyn_cast<GEPOperator>(&user)) {
    const DataLayout &layout = module_.getDataLayout();
    APInt distance(layout.getIndexTypeSizeInBits(step->getType()), 0);
    const bool is_known = address.offset && step->accumulateConstantOffset(layout, distance);
    hold(user, is_known ? std::optional(*address.offset + distance.getSExtValue()) : std::nullopt);
  } else if (const auto *expression = dyn_cast<ConstantExpr>(&user)) {
    if (!makes_number_of_pointer(expression->getOpcode()) || !is_compared(user))
      hold(user, expression->isCast() ? address.offset : std::nullopt);
  } else if (isa<GlobalAlias>(user)) {
    hold(user, address.offset);
  } else {
    list_holders(user, address);
  }
}

void ConstantUses::list_holders(Constant &constant, const Address &address) {
  if (const auto *holder = dyn_cast<GlobalVariable>(&constant)) {
    if (is_of_the_compiler(*holder) || any_of(table_.judged, [&](const std::string &symbol) {
          return is_symbol_of(holder->getName(), symbol);
        }))
      return;
    SmallVector<DIGlobalVariableExpression *> described;
    holder->getDebugInfo(described);
    const DIGlobalVariable *known = described.empty() ? nullptr : described[0]->getVariable();
    list(known ? place_in(known->getFile(), known->getLine()) : place_in(nullptr, 0), address, 1,
         "in static data of " + demangle(holder->getName()));
    return;
  }
  for (User *user : constant.users())
    if (auto *outer = dyn_cast<Constant>(user); outer && seen_.insert(outer).second)
      list_holders(*outer, address);
}

void ConstantUses::follow_instruction(Instruction &user, Use &use, const Address &address) {
  if (isa<LoadInst, ICmpInst>(user) || initializes(*user.getFunction()))
    return;
  if (auto *store = dyn_cast<StoreInst>(&user)) {
    use.getOperandNo() == StoreInst::getPointerOperandIndex() ? list_write(*store, address)
                                                              : follow_stored(*store, address);
  } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user)) {
    use.getOperandNo() == 0 ? list_write(user, address) : list_at(user, address, "stored");
  } else if (auto *step = dyn_cast<GEPOperator>(&user)) {
    const DataLayout &layout = module_.getDataLayout();
    APInt distance(layout.getIndexTypeSizeInBits(step->getType()), 0);
    const bool is_known = address.offset && step->accumulateConstantOffset(layout, distance);
    hold(user, is_known ? std::optional(*address.offset + distance.getSExtValue()) : std::nullopt);
  } else if (isa<BitCastInst, AddrSpaceCastInst, FreezeInst>(user)) {
    hold(user, address.offset);
  } else if (isa<PHINode, SelectInst, InsertValueInst, ExtractValueInst>(user)) {
    hold(user, std::nullopt);
  } else if (makes_number_of_pointer(user.getOpcode())) {
    if (!is_compared(user))
      list_at(user, address, "made an integer");
  } else if (isa<ReturnInst>(user)) {
    list_at(user, address, "returned");
  } else if (auto *call = dyn_cast<CallBase>(&user)) {
    follow_call(*call, use, address);
  } else {
    list_at(user, address, "kept in a value");
  }
}

// A pointer variable of the source that is loaded again is an ordinary pointer, whose uses are
// marked by its type. A reference to the whole variable is no more than such a pointer.
void ConstantUses::follow_stored(StoreInst &store, const Address &address) {
  auto *variable = dyn_cast<AllocaInst>(store.getPointerOperand());
  if (!variable || !is_plain_variable(*variable))
    return list_at(store, address, "stored");
  const bool is_watched_itself = any_of(watched_->parts, [&](const WatchedPart &part) {
    return table_.fields[part.field].record.empty();
  });
  if (address.offset == 0 && !is_watched_itself)
    return;
  for (User *user : variable->users())
    if (auto *load = dyn_cast<LoadInst>(user))
      hold(*load, std::nullopt);
}

void ConstantUses::follow_call(CallBase &call, Use &use, const Address &address) {
  Function *called = call.getCalledFunction();
  if (called && (called->getName() == kMarkFunction || ends_an_object(*called)))
    return;
  if (call.isInlineAsm())
    return list_at(call, address, "inline assembly");
  if (!call.isArgOperand(&use) || follow_intrinsic(call, use, address))
    return;
  const unsigned argument = call.getArgOperandNo(&use);
  if (call.isPassPointeeByValueArgument(argument))
    return;
  if (!called)
    return list_at(call, address, "passed to a function that is called by its address");
  if (called->isDeclaration()) {
    if (length_argument(call) && argument < 2)
      return argument == 0 ? list_write(call, address) : void();
    inferNonMandatoryLibFuncAttrs(*called, library_(*call.getFunction()));
  }
  if (!call.onlyReadsMemory(argument) || !call.doesNotCapture(argument))
    list_at(call, address, "passed to " + called_as(*called));
}

bool ConstantUses::follow_intrinsic(CallBase &call, Use &use, const Address &address) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return false;
  if (isa<AnyMemIntrinsic>(intrinsic)) {
    if (call.getArgOperandNo(&use) == 0)
      list_write(call, address);
    return true;
  }
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::threadlocal_address:
    hold(call, address.offset);
    return true;
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ptr_annotation:
  case Intrinsic::ptrmask:
    hold(call, std::nullopt);
    return true;
  default:
    if (!intrinsic->isAssumeLikeIntrinsic() && !intrinsic->onlyReadsMemory())
      list_at(call, address,
              "used by " + Intrinsic::getBaseName(intrinsic->getIntrinsicID()).str());
    return true;
  }
}

/// True if the function initializes the variable, also as the function of a static local variable
/// that checks its guard.
bool ConstantUses::initializes(const Function &function) const {
  if (is_of_initialization(function))
    return true;
  StringRef symbol = variable_->getName();
  const GlobalVariable *asked =
      symbol.consume_front("_Z") ? module_.getNamedGlobal(("_ZGV" + symbol).str()) : nullptr;
  return asked && any_of(asked->users(), [&](const User *user) {
           const auto *instruction = dyn_cast<Instruction>(user);
           return instruction && instruction->getFunction() == &function;
         });
}

// Assembly that names the variable may read or write it.
void ConstantUses::list_named_in_assembly(const GlobalVariable &variable) {
  for (Function &function : module_)
    for (Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<CallBase>(&instruction);
          call && call->isInlineAsm() &&
          names(cast<InlineAsm>(call->getCalledOperand())->getAsmString(), variable.getName()))
        list_at(instruction, {nullptr, std::nullopt}, "named by inline assembly");
  if (names(module_.getModuleInlineAsm(), variable.getName()))
    list(place_in(nullptr, 0), {nullptr, std::nullopt}, 0, "named by assembly");
}

void ConstantUses::list_write(Instruction &write, const Address &address) {
  const auto *bytes = dyn_cast<ConstantInt>(written_bytes(write));
  const Address to{address.value, bytes ? address.offset : std::nullopt};
  list(place_of(write), to, bytes ? bytes->getZExtValue() : 0,
       kind_of_write(write) + ", in " + called_as(*write.getFunction()));
}

void ConstantUses::list_at(const Instruction &place, const Address &address,
                           const std::string &how) {
  list(place_of(place), address, 1, how + ", in " + called_as(*place.getFunction()));
}

// Lists all watched parts for an address outside of watched fields, because the object at that
// address may contain some.
void ConstantUses::list(const SourcePlace &place, const Address &address, std::uint64_t bytes,
                        const std::string &how) {
  const auto is_hit = [&](const WatchedPart &part) {
    const auto begin = static_cast<std::uint64_t>(address.offset.value_or(0));
    return address.offset && *address.offset >= 0 &&
           part.overlaps(begin, begin + bytes, table_.fields[part.field].size);
  };
  const bool is_known = any_of(watched_->parts, is_hit);
  for (const WatchedPart &part : watched_->parts) {
    const Unproven found{place, table_.fields[part.field].name(), "constant address: " + how};
    if ((!is_known || is_hit(part)) && !is_contained(table_.unproven, found))
      table_.unproven.push_back(found);
  }
}

SourcePlace ConstantUses::place_of(const Instruction &instruction) const {
  if (const DILocation *location = instruction.getDebugLoc()) {
    while (const DILocation *outer = location->getInlinedAt())
      location = outer;
    if (location->getLine() != 0)
      return place_in(location->getFile(), location->getLine());
  }
  const DISubprogram *function = instruction.getFunction()->getSubprogram();
  return function ? place_in(function->getFile(), function->getLine()) : place_in(nullptr, 0);
}

// Returns the file's path as it was given to the compiler: clang removes its working directory from
// the name.
SourcePlace ConstantUses::place_in(const DIFile *file, unsigned line) const {
  const StringRef source = module_.getSourceFileName();
  if (!file)
    return {source.str(), line};
  SmallString<128> path = file->getFilename();
  if (sys::path::is_absolute(source) && !sys::path::is_absolute(path)) {
    path = file->getDirectory();
    sys::path::append(path, file->getFilename());
  }
  return {path.str().str(), line};
}

} // namespace sartor::compiler
