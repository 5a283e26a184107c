// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/compile.h"

#include <map>
#include <mutex>

#include <dlfcn.h>

#include <llvm-c/Core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "base/thread/mutex.h"
#include "compiler/codegen/full_passes.h"
#include "compiler/codegen/hash_switches.h"
#include "compiler/codegen/test_stages.h"
#include "compiler/codegen/vectorize_first.h"
#include "compiler/frontend/analyses.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/library_math.h"
#include "compiler/frontend/machine_nans.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/pass_plugin.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Makes a function pass available to textual pipelines under its name, `Pass::kName`.
template <class Pass> void register_by_name(llvm::PassBuilder &builder) {
  builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                             llvm::FunctionPassManager &passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != Pass::kName)
      return false;
    passes.addPass(Pass());
    return true;
  });
}

std::unexpected<Failure> bad_pipeline(const std::string &subject, std::string message) {
  return std::unexpected(Failure{ErrorCode::bad_pipeline, subject, std::move(message),
                                 "see LLVM's documentation of opt -passes for the names"});
}

// The passes that make constants pay off, in a third of the time of O3 and full code generation:
// inlining, folding, unrolling of loops of known length, hoisting of invariants. Passes that only
// sometimes help are left out. The last ones are needed for correctness: resuming coroutines, and
// tail calls, on which deep recursion depends.
constexpr const char *kQuickPasses =
    "coro-early,function(sartor-compute-nans),"
    "cgscc(inline,function(sroa,sartor-compute-nans,early-cse<memssa>,simplifycfg)),coro-cleanup,"
    "function(loop-simplify,lcssa,loop(loop-rotate),sartor-compute-nans,sccp,loop-simplify,lcssa,"
    "loop-mssa(licm),"
    "loop(loop-unroll-full),sartor-compute-nans,instcombine<no-verify-fixpoint>,sartor-fold-"
    "library-calls,simplifycfg,"
    "tailcallelim,sartor-return-after-calls)";

/// A pass that computes calls of the C library's mathematical functions whose arguments have become
/// constants, and powers whose exponent has (compiler/frontend/library_math.h).
struct FoldLibraryCalls : PassInfoMixin<FoldLibraryCalls> {
  static constexpr const char *kName = "sartor-fold-library-calls";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses);
};

PreservedAnalyses FoldLibraryCalls::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    llvm::Value *result = call ? compiler::compute_library_call(*call) : nullptr;
    if (call && !result)
      result = compiler::expand_power(*call);
    if (!result)
      continue;
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

/// Adds the pass after the simplification steps of LLVM's pipelines, and registers its name.
void register_fold_library_calls(PassBuilder &builder) {
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(FoldLibraryCalls()); });
  register_by_name<FoldLibraryCalls>(builder);
}

/// A pass that inserts a return directly after a call whose result is the function's result, in
/// place of a jump to a common return. Code generation of the quick tier makes tail calls only in
/// this form; that of the full tier performs the same transformation (CodeGenPrepare).
struct ReturnAfterCalls : PassInfoMixin<ReturnAfterCalls> {
  static constexpr const char *kName = "sartor-return-after-calls";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses);
};

/// Returns the return instruction of a block that contains only phi nodes and a return; otherwise
/// null.
ReturnInst *lone_return(BasicBlock &block) {
  return dyn_cast<ReturnInst>(block.getFirstNonPHIIt());
}

bool ends_with_its_result(const BasicBlock &block, const ReturnInst &end) {
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  const auto *call = branch && branch->isUnconditional()
                         ? dyn_cast_or_null<CallInst>(branch->getPrevNode())
                         : nullptr;
  if (!call || !call->isTailCall())
    return false;
  const llvm::Value *result = end.getReturnValue();
  return !result || result->DoPHITranslation(end.getParent(), &block) == call;
}

PreservedAnalyses ReturnAfterCalls::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : make_early_inc_range(function)) {
    ReturnInst *end = lone_return(block);
    if (!end)
      continue;
    for (BasicBlock *before : SmallVector<BasicBlock *>(predecessors(&block)))
      if (ends_with_its_result(*before, *end)) {
        FoldReturnIntoUncondBranch(end, &block, before);
        changed = true;
      }
    if (changed && pred_empty(&block) && !block.isEntryBlock())
      DeleteDeadBlock(&block);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

// Adds ComputeNans to LLVM's own pipelines. Sartor's pipelines name it where they need it.
void register_compute_nans(PassBuilder &builder) {
  const auto add = [](FunctionPassManager &passes, OptimizationLevel) {
    passes.addPass(ComputeNans());
  };
  builder.registerPipelineStartEPCallback(
      [add](ModulePassManager &passes, OptimizationLevel level) {
        FunctionPassManager each;
        add(each, level);
        passes.addPass(createModuleToFunctionPassAdaptor(std::move(each)));
      });
  builder.registerPeepholeEPCallback(add);
}

// Adds the two passes to LLVM's own pipelines.
void register_vectorize_first(PassBuilder &builder) {
  builder.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &passes, OptimizationLevel) { passes.addPass(KeepVectorizable()); });
  builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel) {
    passes.addPass(createFunctionToLoopPassAdaptor(PeelForVectors()));
  });
}

// Makes LLVM's symbols global. Plugins are not linked with LLVM and resolve its symbols in the
// process, where libLLVM is loaded with local visibility until a plugin needs it.
void show_llvm() {
  Dl_info llvm;
  if (dladdr(reinterpret_cast<const void *>(&LLVMGetVersion), &llvm) != 0)
    (void)dlopen(llvm.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

// A plugin is never unloaded: its code may be on any thread's stack.
Result<PassPlugin *> load_plugin(const std::string &path) {
  static auto &mutex = *new base::Mutex; // can be locked while the process exits
  static auto &loaded = *new std::map<std::string, PassPlugin>; // used by compiles at exit
  const std::lock_guard lock(mutex);
  if (auto known = loaded.find(path); known != loaded.end())
    return &known->second;
  show_llvm();
  auto plugin = PassPlugin::Load(path);
  if (!plugin)
    return bad_pipeline(path, toString(plugin.takeError()));
  return &loaded.emplace(path, std::move(*plugin)).first->second;
}

const Function *function_of(const Any &code) {
  if (const auto *function = any_cast<const Function *>(&code))
    return *function;
  if (const auto *loop = any_cast<const Loop *>(&code))
    return (*loop)->getHeader()->getParent();
  if (const auto *component = any_cast<const LazyCallGraph::SCC *>(&code))
    return &(*component)->begin()->getFunction();
  return nullptr;
}

const Module *module_of(const Any &code) {
  const auto *module = any_cast<const Module *>(&code);
  return module ? *module : function_of(code) ? function_of(code)->getParent() : nullptr;
}

std::string text_of(const Module *module) {
  std::string text;
  raw_string_ostream stream(text);
  if (module)
    module->print(stream, nullptr);
  return text;
}

/// Lets only the first optional passes run. `limit` must outlive the callbacks.
void limit_passes(PassInstrumentationCallbacks &callbacks, core::PassLimit &limit) {
  callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, const Any &code) {
    if (++limit.asked != limit.most)
      return limit.asked < limit.most;
    const StringRef in_pipelines = callbacks.getPassNameForClassName(pass);
    limit.pass = in_pipelines.empty() ? pass.str() : in_pipelines.str();
    const Function *function = function_of(code);
    limit.function = function ? function->getName().str() : "the whole module";
    if (limit.wants_code)
      limit.before = text_of(module_of(code));
    return true;
  });
  const auto note = [&](StringRef, const Any &code, const PreservedAnalyses &) {
    if (limit.wants_code && limit.after.empty() && limit.asked == limit.most)
      limit.after = text_of(module_of(code));
  };
  callbacks.registerAfterPassCallback(note);
}

/// The state that running one pipeline needs.
class Optimizer {
public:
  Optimizer(TargetMachine *machine, const core::Deadline *deadline)
      : deadline_(deadline), for_kernel_(machine->getTargetTriple().isBPF()),
        builder_(machine, tuning(), std::nullopt, &callbacks_) {
    callbacks_.registerShouldRunOptionalPassCallback([this](StringRef pass, const Any &code) {
      return in_time() && !would_take_long(pass, code);
    });
    register_fold_library_calls(builder_);
    register_by_name<HashSwitches>(builder_);
    register_by_name<ComputeNans>(builder_);
    register_compute_nans(builder_);
    register_vectorize_first(builder_);
    register_by_name<ReturnAfterCalls>(builder_);
    register_full_passes(builder_);
  }

  Result<ModulePassManager> passes(core::Tier tier, const Pipeline &pipeline) {
    for (const auto &path : pipeline.plugins) {
      auto plugin = load_plugin(path.string());
      if (!plugin)
        return std::unexpected(std::move(plugin.error()));
      (*plugin)->registerPassBuilderCallbacks(builder_);
    }
    // The kernel's verifier accepts the output of LLVM's own pipeline, which includes the target's
    // passes.
    if (for_kernel_)
      return builder_.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
    // Plugins may add passes at extension points that only LLVM's own pipeline has.
    if (tier == core::Tier::full && pipeline.passes.empty() && !pipeline.plugins.empty())
      return builder_.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
    const std::string text = tier == core::Tier::quick ? kQuickPasses
                             : pipeline.passes.empty() ? full_passes()
                                                       : pipeline.passes;
    ModulePassManager manager;
    if (llvm::Error error = builder_.parsePassPipeline(manager, text))
      return bad_pipeline(pipeline.passes, toString(std::move(error)));
    return manager;
  }

  /// `limit` must outlive this object.
  void limit_to(core::PassLimit &limit) { limit_passes(callbacks_, limit); }

  /// Returns false if the deadline passed before all passes had run.
  bool run(ModulePassManager &passes, Module &module) {
    passes.run(module, analyses_.modules);
    return in_time();
  }

private:
  static PipelineTuningOptions tuning() {
    PipelineTuningOptions options;
    options.LoopVectorization = true;
    options.SLPVectorization = true;
    return options;
  }

  // ConstraintElimination derives what many conditions imply together, in time that grows without
  // bound with their number: seconds for two dozen conditions in a guest program followed through
  // an interpreter's loop, and minutes for twice as many.
  static bool would_take_long(StringRef pass, const Any &code) {
    constexpr std::size_t kMostConditions = 12;
    const auto *const *function = any_cast<const Function *>(&code);
    return pass == "ConstraintEliminationPass" && function != nullptr &&
           static_cast<std::size_t>(count_if(instructions(**function), [](const Instruction &each) {
             return isa<ICmpInst>(each);
           })) > kMostConditions;
  }

  bool in_time() { return !(late_ = late_ || (deadline_ && deadline_->passed())); }

  const core::Deadline *deadline_;
  bool late_ = false;
  bool for_kernel_;
  PassInstrumentationCallbacks callbacks_;
  PassBuilder builder_;
  Analyses analyses_{builder_};
};

// A callee reached by a tail call would return in place of the function and bypass the code that
// replaces the function's return.
void keep_own_return(Module &module) {
  for (Function &function : module)
    if (function.hasFnAttribute(Attribute::FnRetThunkExtern))
      function.addFnAttr("disable-tail-calls", "true");
}

Result<std::string> emit(Module &module, TargetMachine &machine, CodeGenFileType type) {
  keep_own_return(module);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  // By default, code generation knows no system's library, and calls a function to compare a few
  // bytes.
  passes.add(new TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return std::unexpected(Failure{ErrorCode::compile_failed, module.getName().str(),
                                   "LLVM cannot generate code for this machine",
                                   "check that LLVM's native target is installed"});
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace

Result<void> optimize(Module &module, TargetMachine &machine, const CompileOptions &options) {
  Optimizer optimizer(&machine, options.deadline);
  auto passes = optimizer.passes(options.tier, options.pipeline);
  if (!passes)
    return std::unexpected(std::move(passes.error()));
  if (options.limit)
    optimizer.limit_to(*options.limit);
  if (options.is_variant && test_stages) {
    ModulePassManager all;
    test_stages->add_first(all);
    all.addPass(std::move(*passes));
    test_stages->add_last(all);
    *passes = std::move(all);
  }
  const bool in_time = optimizer.run(*passes, module);
  if (!in_time)
    return std::unexpected(Failure{ErrorCode::compile_timeout, module.getName().str(),
                                   "was not optimised in time",
                                   "raise Options::compile_timeout (in C, by sartor_open_with()), "
                                   "or simplify the pipeline"});
  if (options.pipeline != Pipeline()) {
    std::string problems;
    raw_string_ostream stream(problems);
    if (verifyModule(module, &stream))
      return std::unexpected(Failure{ErrorCode::broken_by_pass, options.pipeline.passes,
                                     "left invalid IR: " + problems, "fix or drop the pass"});
  }
  return {};
}

Result<void> check_assertions(Module &module, TargetMachine &machine,
                              const CompileOptions &options) {
  std::vector<CallInst *> assertions;
  for (Function &function : module)
    for (CallInst *assertion : compiler::const_assertions_of(function))
      assertions.push_back(assertion);
  if (assertions.empty())
    return {};
  const auto copy = compiler::clone_module(module);
  if (auto optimized = optimize(*copy, machine, options); !optimized)
    return optimized;
  for (Function &function : *copy)
    for (CallInst *assertion : compiler::const_assertions_of(function))
      if (!isa<Constant>(compiler::watched_value(*assertion))) {
        const auto found = compiler::read_const_assertion(*assertion);
        return std::unexpected(Failure{ErrorCode::not_constant, found.text,
                                       "did not become a constant (" + found.file + ":" +
                                           std::to_string(found.line) + ")",
                                       "set the points, bind the arguments or declare the memory "
                                       "invariant that it depends on"});
      }
  for (CallInst *assertion : assertions)
    assertion->eraseFromParent();
  return {};
}

Result<std::string> generate(Module &module, TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::ObjectFile);
}

Result<std::string> generate_assembly(Module &module, TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::AssemblyFile);
}

Result<void> check_pipeline(const Pipeline &pipeline) {
  auto machine = compiler::make_target_machine(CodeGenOptLevel::None);
  Optimizer optimizer(machine.get(), nullptr);
  auto passes = optimizer.passes(core::Tier::full, pipeline);
  if (!passes)
    return std::unexpected(std::move(passes.error()));
  return {};
}

} // namespace sartor::compiler
