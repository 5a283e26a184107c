// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the mutant that SARTOR_MUTANT names to the compilation of variants.
#include <atomic>
#include <memory>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/test_stages.h"
#include "compiler/mutants/mutant.h"
#include "compiler/mutants/stale_memory.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

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
