// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the mutant that SARTOR_MUTANT names to the compilation of variants.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/test_stages.h"
#include "compiler/mutants/mutant.h"
#include "core/request/context.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr std::size_t kWord = 4;

// True if the 8 bytes around a word look like an address of the program.
bool may_be_pointer(const core::Region &region, std::size_t offset) {
  const std::size_t begin = offset - (region.address + offset) % sizeof(std::uint64_t);
  if (begin > offset || region.bytes->size() - begin < sizeof(std::uint64_t))
    return false;
  std::uint64_t value = 0;
  std::memcpy(&value, region.bytes->data() + begin, sizeof value);
  return value >= 1ULL << 40U && value < 1ULL << 47U;
}

class StaleMemory final : public core::InvariantMemory {
public:
  StaleMemory(std::shared_ptr<core::InvariantMemory> of, core::Reached reached)
      : of_(std::move(of)), reached_(std::move(reached)) {}

  [[nodiscard]] std::uint64_t number() const override { return of_->number(); }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return of_->name(); }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    return of_->fetch(address, size);
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override {
    return of_->call(invariants, call);
  }

private:
  std::shared_ptr<core::InvariantMemory> of_;
  Result<core::Reached> reached_;
};

/// Makes a variant see another value in one word of 4 bytes of its invariant memory. Places are the
/// words that are no part of what may be a pointer, in the order of their addresses.
void make_memory_stale(core::Context &context, const Mutant &mutant) {
  if (!context.memory || !context.memory->read()) {
    report_mutant(mutant, "no place in " + context.handler + ", which has no invariant memory");
    return;
  }
  core::Reached reached = *context.memory->read();
  std::uint64_t left = mutant.place;
  for (core::Region &region : reached.regions)
    for (std::size_t at = (kWord - region.address % kWord) % kWord;
         region.bytes && at + kWord <= region.bytes->size(); at += kWord) {
      if (may_be_pointer(region, at) || left-- > 0)
        continue;
      std::string changed = *region.bytes;
      ++changed[at];
      region.bytes = std::make_shared<const std::string>(std::move(changed));
      report_mutant(mutant, "changed the memory of " + context.handler + " at 0x" +
                                llvm::utohexstr(region.address + at, /*LowerCase=*/true));
      context.memory = std::make_shared<StaleMemory>(context.memory, std::move(reached));
      return;
    }
  report_mutant(mutant, "no place in the invariant memory of " + context.handler);
}

/// The state of one compilation.
struct Search {
  Mutant mutant;
  std::uint64_t left; ///< The number of places in front of the one to change.
  bool is_changed = false;
};

std::string text_of(const Instruction &place) {
  std::string text;
  raw_string_ostream stream(text);
  place.print(stream);
  return StringRef(text).trim().str();
}

/// Finds the place and changes it. Optional, so that a limit of passes can leave it out.
class Mutate : public PassInfoMixin<Mutate> {
public:
  explicit Mutate(std::shared_ptr<Search> search) : search_(std::move(search)) {
    last = search_->mutant.kind;
  }

  /// A process has one mutant.
  static StringRef name() { return last.load()->pass; }

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (search_->is_changed)
      return PreservedAnalyses::all();
    const Blocks likely = likely_blocks(function);
    const Analyzed analyzed{analyses.getResult<DominatorTreeAnalysis>(function),
                            analyses.getResult<LoopAnalysis>(function),
                            analyses.getResult<AAManager>(function), likely,
                            any_of(instructions(function), [](const Instruction &each) {
                              return each.getType()->isVectorTy();
                            })};
    for (Instruction &place : instructions(function)) {
      if (!likely.contains(place.getParent()))
        continue;
      const Change change = search_->mutant.kind->change(place, analyzed);
      if (!change || search_->left-- > 0)
        continue;
      search_->is_changed = true;
      report_mutant(search_->mutant,
                    "changed " + function.getName().str() + " at: " + text_of(place));
      change();
      return PreservedAnalyses::none();
    }
    return PreservedAnalyses::all();
  }

private:
  static inline std::atomic<const MutantKind *> last = nullptr;

  std::shared_ptr<Search> search_;
};

/// Reports a mutant that has found no place.
struct ReportMutant : PassInfoMixin<ReportMutant> {
  std::shared_ptr<Search> search;

  explicit ReportMutant(std::shared_ptr<Search> of) : search(std::move(of)) {}

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (!search->is_changed)
      report_mutant(search->mutant, "no place in " + module.getModuleIdentifier());
    return PreservedAnalyses::all();
  }
};

void add(ModulePassManager &passes, MutantKind::Stage stage) {
  const auto mutant = mutant_in_environment(); // in_context() has reported an error
  if (!mutant || !*mutant || (*mutant)->kind->stage != stage)
    return;
  const auto search = std::make_shared<Search>(Search{**mutant, (*mutant)->place});
  passes.addPass(createModuleToFunctionPassAdaptor(Mutate(search)));
  passes.addPass(ReportMutant(search));
}

Result<core::Context> in_context(const core::Context &context) {
  auto mutant = mutant_in_environment();
  if (!mutant)
    return std::unexpected(std::move(mutant.error()));
  core::Context changed = context;
  if (*mutant && (*mutant)->kind->stage == MutantKind::Stage::memory)
    make_memory_stale(changed, **mutant);
  return changed;
}

constexpr TestStages kStages{
    in_context, [](ModulePassManager &passes) { add(passes, MutantKind::Stage::first); },
    [](ModulePassManager &passes) { add(passes, MutantKind::Stage::last); }};

[[maybe_unused]] const bool is_installed = (test_stages = &kStages, true);

} // namespace

} // namespace sartor::compiler
