// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/inspect.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "base/result.h"
#include "compiler/codegen/compile.h"
#include "compiler/codegen/kernel_code.h"
#include "compiler/codegen/listing.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/comparable.h"
#include "compiler/frontend/analysis/foldable.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/kernel/kernel.h"
#include "compiler/frontend/kernel/map_writes.h"
#include "compiler/frontend/load.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/fold/keep_loads.h"
#include "compiler/specialize/specialize.h"
#include "core/compiler/inspect.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Gives every instruction of a module a debug location that names only its function. Existing
/// debug information is dropped.
void mark_functions(Module &module) {
  StripDebugInfo(module);
  module.setModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  DIBuilder builder(module);
  DIFile *file = builder.createFile("handlers", "/");
#if LLVM_VERSION_MAJOR < 22
  const auto language = dwarf::DW_LANG_C;
#else
  const DISourceLanguageName language(dwarf::DW_LANG_C);
#endif
  builder.createCompileUnit(language, file, "sartor", /*isOptimized=*/true, "", 0);
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    const std::string name = compiler::readable(function);
    DISubprogram *place = builder.createFunction(file, name, name, file, 1, type, 1,
                                                 DINode::FlagZero, DISubprogram::SPFlagDefinition);
    function.setSubprogram(place);
    unsigned line = 1; // a distinct line for each, so that no two locations are equal
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        instruction.setDebugLoc(DILocation::get(module.getContext(), ++line, 1, place));
  }
  builder.finalize();
}

/// Returns the size of machine code in an object file by source function, for a module that
/// mark_functions() has marked: largest first. Fails with compile_failed.
Result<std::vector<core::FunctionSize>> sizes_by_function(const std::string &object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "variant"));
  if (!file)
    return std::unexpected(Failure{ErrorCode::compile_failed, "the variant's object file",
                                   toString(file.takeError()), "report this"});
  const auto places = DWARFContext::create(**file);
  const DILineInfoSpecifier names(DILineInfoSpecifier::FileLineInfoKind::None,
                                  DINameKind::ShortName);
  std::map<std::string, std::uint64_t> bytes;
  std::uint64_t known = 0;
  for (const auto &unit : places->compile_units()) {
    const DWARFDebugLine::LineTable *table = places->getLineTableForUnit(unit.get());
    for (std::size_t i = 0; table && i + 1 < table->Rows.size(); ++i) {
      const auto &row = table->Rows[i];
      if (row.EndSequence)
        continue;
      const std::uint64_t size = table->Rows[i + 1].Address.Address - row.Address.Address;
      const DIInliningInfo found = places->getInliningInfoForAddress(row.Address, names);
      const std::string name =
          size > 0 && found.getNumberOfFrames() > 0 ? found.getFrame(0).FunctionName : "";
      bytes[name.empty() || name == DILineInfo::BadString ? "(no function)" : name] += size;
      known += size;
    }
  }
  std::uint64_t all = 0;
  for (const object::SectionRef &section : (*file)->sections())
    all += section.isText() ? section.getSize() : 0;
  if (all > known)
    bytes["(between functions)"] += all - known;
  std::vector<core::FunctionSize> sizes;
  for (const auto &[function, size] : bytes)
    if (size > 0)
      sizes.push_back({function, size});
  std::ranges::sort(sizes, [](const core::FunctionSize &one, const core::FunctionSize &other) {
    return one.bytes != other.bytes ? one.bytes > other.bytes : one.function < other.function;
  });
  return sizes;
}

// Passes that show what known values fold, run before loops are unrolled and vectorized: unrolling
// and vectorizing add code that would hide the folding. Loops are rotated so that a test before the
// first iteration can fold.
constexpr const char *kSimplify =
    "ipsccp,cgscc(inline),function(sroa,early-cse<memssa>,sccp,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-mssa(loop-rotate,licm),gvn,sccp,instcombine<no-verify-fixpoint>,adce,"
    "simplifycfg),globaldce";

// Concatenates all arguments of a remark: LLVM's own message leaves out reasons, such as which
// store clobbers a load.
std::string message_of(const DiagnosticInfoOptimizationBase &remark) {
  std::string message;
  for (const auto &part : remark.getArgs())
    message +=
        part.Key == "Callee" || part.Key == "Caller" ? core::readable_name(part.Val) : part.Val;
  return message;
}

/// Records the diagnostics and remarks of passes.
class Listener : public DiagnosticHandler {
public:
  bool handleDiagnostics(const DiagnosticInfo &said) override {
    const auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&said);
    if (!remark)
      return said.getSeverity() == DS_Remark;
    if (remarks) {
      remarks->push_back({remark->getPassName().str(), remark->getRemarkName().str(),
                          message_of(*remark), remark->isPassed()});
      if (remark->isLocationAvailable()) {
        remarks->back().file = remark->getLocation().getAbsolutePath();
        remarks->back().line = remark->getLocation().getLine();
      }
    }
    return true;
  }
  bool isAnalysisRemarkEnabled(StringRef) const override { return remarks; }
  bool isMissedOptRemarkEnabled(StringRef) const override { return remarks; }
  bool isPassedOptRemarkEnabled(StringRef) const override { return remarks; }
  bool isAnyRemarkEnabled() const override { return remarks; }

  std::vector<core::PassRemark> *remarks = nullptr; ///< Null if remarks are not collected.
};

bool is_vector(const Instruction &instruction) {
  return instruction.getType()->isVectorTy() || any_of(instruction.operands(), [](const Use &use) {
           return use->getType()->isVectorTy();
         });
}

bool chooses(const Instruction &instruction) {
  return instruction.isTerminator() && instruction.getNumSuccessors() > 1 &&
         !isa<CallBase>(instruction);
}

core::CodeCounts count(Module &module) {
  core::CodeCounts counts;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (const Instruction &instruction : instructions(function)) {
      ++counts.instructions;
      counts.branches += chooses(instruction);
      counts.loads += isa<LoadInst>(instruction);
      counts.stores += isa<StoreInst>(instruction);
      counts.calls += isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
      counts.vector_instructions += is_vector(instruction);
    }
    const DominatorTree dominators(function);
    counts.loops += static_cast<int>(LoopInfo(dominators).getLoopsInPreorder().size());
  }
  return counts;
}

Configuration without_guards(const Configuration &configuration) {
  Configuration result;
  for (const auto &[label, setting] : configuration)
    result.set(label, unguarded(setting));
  return result;
}

// True if an instruction other than a mark uses the object. Marks refer to constants (labels,
// files) that only Sartor reads.
bool is_used_by_code(const GlobalObject &object) {
  SmallVector<const User *> users(object.users());
  SmallPtrSet<const User *, 16> seen;
  while (!users.empty()) {
    const User *user = users.pop_back_val();
    if (const auto *instruction = dyn_cast<Instruction>(user)) {
      if (!compiler::is_mark(*instruction))
        return true;
    } else if (seen.insert(user).second) {
      users.append(user->user_begin(), user->user_end());
    }
  }
  return false;
}

// True if the symbol belongs to Sartor itself; constants kept for the program's lifetime do not
// count.
bool is_own(const GlobalObject &object) {
  return object.getName().starts_with("sartor.") &&
         !object.getName().starts_with(compiler::kKeptPrefix);
}

// True for a function that the source declares for errors: code that calls it is no program.
bool must_not_be_called(const GlobalObject &object) {
  const auto *function = dyn_cast<Function>(&object);
  return function && function->hasFnAttribute("dontcall-error");
}

// True for a definition that is in the module for invariant memory that points to it
// (compiler/frontend/analysis/pointed_to.h).
bool may_be_pointed_to(const GlobalObject &object) {
  return object.hasAvailableExternallyLinkage() &&
         !object.getName().starts_with(compiler::kKeptPrefix);
}

std::string name_of(const core::Context &context) {
  return core::readable_name(context.handler) + context.configuration.text();
}

} // namespace

struct LlvmInspector::Copy {
  LLVMContext context;
  Listener *listener = nullptr; ///< Owned by the context.
  std::unique_ptr<Module> module;
  std::unique_ptr<TargetMachine> machine =
      compiler::make_target_machine(CodeGenOptLevel::Aggressive);

  explicit Copy(const core::HandlerModule &of) {
    auto own = std::make_unique<Listener>();
    listener = own.get();
    context.setDiagnosticHandler(std::move(own));
    compiler::know_load_marks(context);
    // The bitcode was written by Sartor when the module was loaded.
    module = std::move(*compiler::read_module(of.bitcode, "handlers", context));
    for (GlobalVariable &variable : module->globals())
      variable.setExternallyInitialized(false); // no code has set it
  }

  Result<Specialized> make(const core::HandlerModule &from, const core::Context &wanted) {
    return compiler::specialize(*module, from.space, from.symbols, wanted, name_of(wanted));
  }
};

LlvmInspector::LlvmInspector(const core::HandlerModule &module, std::optional<Host> host)
    : module_(module), host_(std::move(host)) {
  const Aim aimed = aim();
  copy_ = std::make_unique<Copy>(module);
}

LlvmInspector::~LlvmInspector() = default;

Result<core::Inspection> LlvmInspector::inspect(core::Context context) {
  const Aim aimed = aim();
  context.configuration = without_guards(context.configuration);
  auto made = copy_->make(module_, context);
  if (!made)
    return std::unexpected(std::move(made.error()));
  Module &module = *made->module;
  compiler::erase_marks(module);
  const auto simple = compiler::clone_module(module);
  if (auto done = optimize(*simple, *copy_->machine, {core::Tier::full, {kSimplify, {}}}); !done)
    return std::unexpected(std::move(done.error()));
  core::Inspection inspection;
  inspection.changed_nothing = std::move(made->remarks);
  inspection.simplified = count(*simple);
  copy_->listener->remarks = &inspection.remarks;
  const auto done = optimize(module, *copy_->machine, {});
  copy_->listener->remarks = nullptr;
  if (!done)
    return std::unexpected(done.error());
  inspection.optimized = count(module);
  return inspection;
}

Result<std::unique_ptr<Module>> LlvmInspector::made(Copy &copy, const core::Context &context,
                                                    const Pipeline &pipeline) {
  auto made = copy.make(module_, context);
  if (!made)
    return std::unexpected(std::move(made.error()));
  Module &module = *made->module;
  compiler::erase_marks(module);
  const bool is_for_kernel = compiler::is_for_kernel(module);
  if (is_for_kernel)
    finish_for_kernel(module, module_.space);
  if (auto done = optimize(module, *copy.machine, {core::Tier::full, pipeline}); !done)
    return std::unexpected(std::move(done.error()));
  if (is_for_kernel)
    define_all_values(module);
  return std::move(made->module);
}

Result<core::Listing> LlvmInspector::list(const core::Context &context, const Pipeline &pipeline) {
  const Aim aimed = aim();
  auto module = made(*copy_, context, pipeline);
  if (!module)
    return std::unexpected(std::move(module.error()));
  return list_code(**module, *copy_->machine);
}

Result<std::vector<core::FunctionSize>> LlvmInspector::sizes(const core::Context &context,
                                                             const Pipeline &pipeline) {
  const Aim aimed = aim();
  if (!marked_) {
    marked_ = std::make_unique<Copy>(module_);
    if (!compiler::is_for_kernel(
            *marked_->module)) // its debug information describes types to the kernel
      mark_functions(*marked_->module);
  }
  auto module = made(*marked_, context, pipeline);
  if (!module)
    return std::unexpected(std::move(module.error()));
  const auto object = generate(**module, *marked_->machine);
  if (!object)
    return std::unexpected(object.error());
  auto sizes = sizes_by_function(*object);
  if (sizes)
    for (core::FunctionSize &each : *sizes)
      if (each.function == name_of(context)) // the kernel's name of the handler
        each.function = core::readable_name(context.handler);
  return sizes;
}

Result<void> LlvmInspector::check(const core::Context &context) {
  const Aim aimed = aim();
  const auto made = copy_->make(module_, context);
  if (!made)
    return std::unexpected(made.error());
  return check_assertions(*made->module, *copy_->machine, {});
}

std::vector<core::MarkedPlace> LlvmInspector::places(const std::string &handler) {
  std::vector<core::MarkedPlace> places;
  Function *root = compiler::find_handler(*copy_->module, handler);
  for (Function *function : compiler::reachable_functions(*root)) {
    const std::string problem = compiler::shape_problem(*function);
    if (compiler::is_call_point(*function)) {
      const CallMark mark = compiler::read_call_mark(*function);
      const Site &site = module_.space.find(mark.label)->sites.front();
      places.push_back({mark.label, mark.file, mark.line, site.problem, !function->use_empty()});
      continue;
    }
    for (CallInst *call : compiler::points_of(*function)) {
      const auto mark = compiler::read_mark(*call);
      if (!mark)
        continue; // not in a loaded module
      core::MarkedPlace place{mark->label, mark->file, mark->line, problem, !call->use_empty()};
      if (mark->type.bits > 64)
        place.problem = "the value is wider than 64 bits";
      places.push_back(std::move(place));
    }
  }
  return places;
}

core::Comparability LlvmInspector::comparability(const std::string &handler) {
  const Aim aimed = aim();
  return Comparable(*compiler::find_handler(*copy_->module, handler), module_).comparability();
}

core::Wanted LlvmInspector::wanted() {
  core::Wanted wanted;
  for (const GlobalObject &object : copy_->module->global_objects()) {
    const auto *function = dyn_cast<Function>(&object);
    const std::string name = object.getName().str();
    if (function && function->isIntrinsic())
      continue;
    if (function && function->hasFnAttribute(compiler::kFoldAttribute)) {
      if (auto foldable = compiler::foldable_of(*function))
        wanted.folded.push_back(std::move(*foldable));
    } else if (object.isDeclarationForLinker() && !is_own(object) && !must_not_be_called(object) &&
               (is_used_by_code(object) || may_be_pointed_to(object)))
      wanted.names.push_back(name);
  }
  return wanted;
}

std::map<std::string, core::KernelMap, std::less<>> LlvmInspector::kernel_maps() {
  std::map<std::string, core::KernelMap, std::less<>> maps;
  for (const GlobalVariable &variable : copy_->module->globals())
    if (compiler::map_version(variable))
      if (auto map = compiler::kernel_map_of(variable))
        maps.emplace(variable.getName(), std::move(*map));
  return maps;
}

} // namespace sartor::compiler
