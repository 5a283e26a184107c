// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/kernel/kernel_maps.h"

#include <map>
#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/kernel/map_writes.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/readable.h"
#include "compiler/frontend/scalar.h"
#include "compiler/specialize/kernel/kernel_find.h"

namespace sartor::compiler {

using namespace llvm;

SetVector<Function *> named_from(Function &root) {
  SetVector<Function *> found;
  found.insert(&root);
  for (unsigned i = 0; i < found.size(); ++i)
    for (Instruction &instruction : instructions(*found[i]))
      for (const Use &operand : instruction.operands())
        if (auto *function = dyn_cast<Function>(operand); function && !function->isDeclaration())
          found.insert(function);
  return found;
}

namespace {

constexpr const char *kVersionMark = "sartor.map_version";

std::vector<CallBase *> lookups_in(Function &function, const core::KernelMemory &memory) {
  std::vector<CallBase *> found;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (const GlobalVariable *map = compiler::looked_up(*call);
          map && memory.maps.contains(map->getName()))
        found.push_back(call);
  return found;
}

/// Creates copies of functions for code in which the maps' versions are valid; cold code uses the
/// original functions.
class HotCopies {
public:
  HotCopies(const core::KernelMemory &memory, const KernelGuards &guards)
      : memory_(memory), copies_(guards.copies) {
    for (const auto &[function, copy] : guards.copies)
      copies_[copy] = copy;
  }

  /// Makes an instruction use the copy of each function that it calls or passes on, if there is a
  /// separate copy.
  void use_in(Instruction &instruction) {
    for (Use &operand : instruction.operands())
      if (auto *function = dyn_cast<Function>(operand);
          function && !function->isDeclaration() && is_another(*function))
        operand.set(copy_of(*function));
  }
  [[nodiscard]] const std::vector<Function *> &copies() const { return made_; }

private:
  bool is_another(Function &function) {
    return any_of(named_from(function), [&](Function *reached) {
      return copies_.contains(reached) || !lookups_in(*reached, memory_).empty();
    });
  }

  Function *copy_of(Function &function) {
    Function *&copy = copies_[&function];
    if (copy)
      return copy;
    copy = compiler::copy_function(function);
    copy->setName(function.getName() + ".promised");
    copy->setLinkage(function.getLinkage()); // the verifier checks non-static functions separately
    copies_[copy] = copy;                    // for recursive calls
    made_.push_back(copy);
    for (Instruction &instruction : instructions(copy))
      use_in(instruction);
    return copy;
  }

  const core::KernelMemory &memory_;
  std::map<Function *, Function *> copies_;
  std::vector<Function *> made_;
};

/// True if the handler changes the map itself: later lookups may then differ from the content at
/// its entry.
bool changes(Function &entry, const GlobalVariable &version) {
  return any_of(named_from(entry), [&](Function *function) {
    return any_of(instructions(*function), [&](const Instruction &instruction) {
      const auto *bump = dyn_cast<AtomicRMWInst>(&instruction);
      return bump && bump->getPointerOperand() == &version;
    });
  });
}

std::string problem_of(Function &entry, const GlobalVariable &map) {
  if (std::string problem = compiler::shape_problem(entry); !problem.empty())
    return problem;
  const GlobalVariable *version = compiler::map_version(map);
  if (!version)
    return "it is not marked SARTOR_READ_MOSTLY";
  if (std::string place = compiler::unseen_writer(map); !place.empty())
    return "a pointer into it goes out of sight in " + place;
  return changes(entry, *version) ? "the handler changes it by itself" : "";
}

CallInst *mark_version(IRBuilder<> &builder, GlobalVariable &version) {
  auto *word = builder.getInt64Ty();
  const FunctionCallee mark = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      kVersionMark, FunctionType::get(word, {word}, false));
  auto *load = builder.CreateAlignedLoad(word, &version, Align(8), /*isVolatile=*/true);
  return builder.CreateCall(mark, {load});
}

} // namespace

void fold_settings(Module &module, const core::KernelMemory &memory) {
  for (GlobalVariable &variable : module.globals()) {
    const auto known = memory.settings.find(variable.getName());
    if (known == memory.settings.end() || !variable.isExternallyInitialized() ||
        variable.getValueType()->isAggregateType())
      continue;
    if (Constant *value = compiler::to_constant(known->second, *variable.getValueType(),
                                                module.getDataLayout())) {
      variable.setInitializer(value);
      variable.setExternallyInitialized(false);
    }
  }
}

std::vector<PinnedPoint> pin_maps(Function &entry, const core::KernelMemory &memory,
                                  std::vector<Remark> &remarks) {
  std::map<std::string, GlobalVariable *, std::less<>> maps;
  for (Function *function : named_from(entry))
    for (CallBase *lookup : lookups_in(*function, memory))
      maps.emplace(compiler::looked_up(*lookup)->getName().str(), compiler::looked_up(*lookup));
  for (const auto &[label, name] : memory.tied)
    if (GlobalVariable *map = entry.getParent()->getGlobalVariable(name))
      maps.emplace(name, map);
  for (const auto &[name, map] : memory.maps)
    if (!maps.contains(name))
      remarks.push_back({RemarkCode::map_not_read,
                         "map " + name +
                             " is declared invariant, and the handler does not look into it" +
                             compiler::place_text(entry)});
  std::vector<PinnedPoint> pinned;
  auto first = entry.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> builder(&entry.getEntryBlock(), first);
  for (const auto &[name, map] : maps) {
    if (const std::string problem = problem_of(entry, *map); !problem.empty()) {
      Remark remark{RemarkCode::map_not_folded, "map " + name};
      remark.message.append(" does not fold: ").append(problem).append(compiler::place_text(entry));
      remarks.push_back(std::move(remark));
      continue;
    }
    Constant *version = builder.getInt64(memory.maps.find(name)->second.version);
    pinned.push_back({mark_version(builder, *compiler::map_version(*map)),
                      name,
                      {version},
                      true,
                      nullptr,
                      /*ends_invariants=*/true});
  }
  return pinned;
}

Function &KernelGuards::copy_if_tied(Function &wrapper, const core::KernelMemory &memory) {
  if (!memory.tied.contains(compiler::read_call_mark(wrapper).label))
    return wrapper;
  Function *copy = compiler::copy_function(wrapper);
  copies.emplace(&wrapper, copy);
  return *copy;
}

void fold_maps(Function &entry, const core::KernelMemory &memory, const KernelGuards &guards,
               std::vector<Remark> &remarks) {
  if (guards.versions.empty())
    return;
  HotCopies copies(memory, guards);
  for (Instruction &instruction : instructions(entry))
    if (!instruction.hasMetadata(kSideExitMark))
      copies.use_in(instruction);
  std::vector<CallBase *> lookups = lookups_in(entry, memory);
  std::erase_if(lookups, [](CallBase *lookup) { return lookup->hasMetadata(kSideExitMark); });
  for (Function *copy : copies.copies()) {
    const auto more = lookups_in(*copy, memory);
    lookups.insert(lookups.end(), more.begin(), more.end());
  }
  KernelFind find(*entry.getParent());
  for (CallBase *lookup : lookups) {
    GlobalVariable &map = *compiler::looked_up(*lookup);
    if (none_of(guards.versions,
                [&](const PinnedPoint &version) { return version.label == map.getName(); }))
      continue;
    const std::string problem = find.replace(*lookup, map, memory.maps.find(map.getName())->second);
    if (!problem.empty())
      remarks.push_back({RemarkCode::map_not_folded,
                         "a lookup in map " + map.getName().str() + " stays: " + problem +
                             compiler::place_text(lookup->getDebugLoc())});
  }
  for (Instruction &instruction : instructions(entry))
    instruction.setMetadata(kSideExitMark, nullptr);
}

} // namespace sartor::compiler
