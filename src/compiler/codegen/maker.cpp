// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/maker.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/SourceMgr.h>

#include <sartor/remark.hpp>

#include "compiler/codegen/assembly.h"
#include "compiler/codegen/checking_stub.h"
#include "compiler/codegen/compile.h"
#include "compiler/codegen/content_key.h"
#include "compiler/codegen/entry_function.h"
#include "compiler/codegen/kernel_code.h"
#include "compiler/codegen/make_image.h"
#include "compiler/codegen/rotation_stub.h"
#include "compiler/codegen/test_stages.h"
#include "compiler/frontend/context.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/kernel/kernel.h"
#include "compiler/frontend/places.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/fold/keep_loads.h"
#include "compiler/specialize/specialize.h"
#include "compiler/specialize/stages.h"
#include "core/compiler/entry_symbols.h"
#include "core/compiler/no_deadline.h"
#include "core/compiler/stored_stub.h"
#include "core/request/context.h"
#include "core/request/invariant_memory.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// A context keeps every constant and metadata node it ever created. It is replaced after this many
// compilations, so that the memory of a long-running program does not grow.
constexpr unsigned kCompilesPerContext = 32;

// The name of variants until their keys are known: their own names contain addresses.
constexpr const char *kUnnamed = "sartor.variant";

// The version of DWARF in images. Names of functions are in a table of offsets, so that images can
// be renamed (core/image/code_image.h).
constexpr std::uint32_t kDwarf = 5;

// Code generation of the quick tier depends on the records of variables, which must not change the
// code. It is replaced soon; source lines remain.
void forget_variables(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      instruction.dropDbgRecords();
}

// Debuggers show the name of the variant in place of the source's.
void name_for_debuggers(const Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram)
    return;
  constexpr unsigned kName = 2;
  constexpr unsigned kLinkageName = 3;
  constexpr unsigned kDeclaration = 6; // has a name, too
  subprogram->replaceOperandWith(kName, MDString::get(function.getContext(), function.getName()));
  subprogram->replaceOperandWith(kLinkageName, nullptr);
  subprogram->replaceOperandWith(kDeclaration, nullptr);
}

void name(Module &module, StringRef name) {
  if (const Function *entry = module.getFunction(kUnnamed);
      entry && !compiler::is_for_kernel(module)) {
    module.getFunction(kUnnamed)->setName(name);
    name_for_debuggers(*entry);
  }
  for (Function &function : module)
    if (const std::string now = function.getName().str(); now.starts_with(kUnnamed))
      function.setName(name + now.substr(std::strlen(kUnnamed)));
  module.setModuleIdentifier(name);
}

// Counts indirect jumps and calls in optimised code, except in blocks marked unlikely.
void count_indirect(const Module &module, FoldReport &into) {
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (const BasicBlock *block : compiler::likely_blocks(function))
      for (const Instruction &instruction : *block) {
        const auto *call = dyn_cast<CallBase>(&instruction);
        into.indirect_jumps += isa<IndirectBrInst>(instruction) ? 1 : 0;
        into.indirect_calls += call && call->isIndirectCall() ? 1 : 0;
      }
  }
}

std::optional<std::uint64_t> known_address(const llvm::Value &pointer, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const llvm::Value *base =
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (Operator::getOpcode(base) != Instruction::IntToPtr)
    return std::nullopt;
  const auto *number = dyn_cast<ConstantInt>(cast<Operator>(base)->getOperand(0));
  return number ? std::optional(number->getZExtValue() + offset.getSExtValue()) : std::nullopt;
}

const core::Region *region_of(const LoadInst &load, const std::vector<core::Region> &regions) {
  const auto address = known_address(*load.getPointerOperand(), load.getDataLayout());
  if (!address)
    return nullptr;
  const auto after = std::ranges::upper_bound(regions, *address, {}, &core::Region::address);
  return after != regions.begin() && *address < std::prev(after)->end() ? &*std::prev(after)
                                                                        : nullptr;
}

/// Returns a remark if optimized code loads from known addresses within the regions, except behind
/// failed guards and in other unlikely code.
std::optional<Remark> loads_left(const Module &module, const std::vector<core::Region> &regions) {
  if (regions.empty())
    return std::nullopt;
  unsigned count = 0;
  std::string first;
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (const BasicBlock *block : likely_blocks(function))
      for (const Instruction &instruction : *block) {
        const auto *load = dyn_cast<LoadInst>(&instruction);
        const core::Region *region = load ? region_of(*load, regions) : nullptr;
        if (!region || count++ > 0)
          continue;
        const auto address = *known_address(*load->getPointerOperand(), load->getDataLayout());
        first = "byte " + std::to_string(address - region->address) + " of invariant " +
                std::to_string(region->invariant) + ", in " + compiler::readable(function) +
                compiler::place_text(load->getDebugLoc());
      }
  }
  if (count == 0)
    return std::nullopt;
  return Remark{RemarkCode::loads_left, "loads from invariant memory are left: " +
                                            std::to_string(count) + ", such as that of " + first};
}

class LlvmDraft final : public core::Draft {
public:
  LlvmDraft(LlvmMaker &maker, Specialized specialized, const std::string &symbol,
            const core::Context &context, const core::Purpose &purpose)
      : maker_(maker), module_(std::move(specialized.module)), purpose_(purpose),
        memory_(context.memory), is_variant_(!core::is_generic(context)) {
    if (!compiler::is_for_kernel(*module_)) {
      compiler::repair_places(*module_);
      module_->setModuleFlag(Module::Max, "Dwarf Version", kDwarf);
    }
    if (purpose.wants_key && !test_stages) { // caches must not keep code with mistakes
      places = compiler::leave_out_addresses(
          *module_, context.memory ? context.memory->read()->objects : std::vector<core::Extent>());
      number_atoms(*module_);
      key = content_key(*module_, core::Tier::full, purpose.pipeline);
    }
    name(*module_, symbol);
    invariants = std::move(specialized.invariants);
    from_stage = specialized.from_stage;
    remarks = std::move(specialized.remarks);
    fold_report = std::move(specialized.report);
  }

  Result<core::CodeImage> make(const core::Deadline &deadline) override {
    if (purpose_.limit && !purpose_.limit->instead.empty())
      if (auto replaced = replace_module(purpose_.limit->instead); !replaced)
        return std::unexpected(std::move(replaced.error()));
    const Aim aim = maker_.aim();
    TargetMachine &machine = maker_.machine(purpose_.tier);
    if (compiler::is_for_kernel(*module_))
      finish_for_kernel(*module_, maker_.space());
    else if (purpose_.tier == core::Tier::quick)
      forget_variables(*module_);
    CompileOptions options{purpose_.tier, purpose_.pipeline, &deadline};
    if (auto constant = check_assertions(*module_, machine, options); !constant)
      return std::unexpected(std::move(constant.error()));
    options.limit = purpose_.limit;
    options.is_variant = is_variant_;
    if (auto optimized = optimize(*module_, machine, options); !optimized)
      return std::unexpected(std::move(optimized.error()));
    if (compiler::is_for_kernel(*module_))
      define_all_values(*module_);
    FoldReport left;
    count_indirect(*module_, left); // before code generation changes the module
    const auto loads =
        memory_ ? loads_left(*module_, memory_->read()->regions) : std::optional<Remark>();
    auto image = maker_.generate_image(*module_, machine, module_->getModuleIdentifier());
    if (image) {
      image->remarks = remarks;
      if (loads)
        image->remarks.push_back(*loads);
      image->fold_report = fold_report;
      image->fold_report.invariants.clear();
      image->fold_report.indirect_jumps = left.indirect_jumps;
      image->fold_report.indirect_calls = left.indirect_calls;
    }
    return image;
  }

private:
  Result<void> replace_module(const std::string &text) {
    SMDiagnostic error;
    auto module = parseAssemblyString(text, error, module_->getContext());
    if (!module)
      return std::unexpected(Failure{ErrorCode::compile_failed, module_->getModuleIdentifier(),
                                     "is not replaced: " + error.getMessage().str() + " in line " +
                                         std::to_string(error.getLineNo()),
                                     "give IR of this version of LLVM as text"});
    module->setModuleIdentifier(module_->getModuleIdentifier());
    module_ = std::move(module);
    return {};
  }

  LlvmMaker &maker_;
  std::unique_ptr<Module> module_;
  core::Purpose purpose_;
  std::shared_ptr<core::InvariantMemory> memory_; ///< May be null.
  bool is_variant_;
};

} // namespace

struct LlvmMaker::Copy {
  compiler::Context context;
  Diagnostics diagnostics{context};
  std::unique_ptr<Module> module;
  Stages stages;
  unsigned compiles = 0;
};

LlvmMaker::LlvmMaker(std::shared_ptr<const core::HandlerModule> module, std::optional<Host> host,
                     bool refuses_directives)
    : module_(std::move(module)), host_(std::move(host)), refuses_directives_(refuses_directives) {}

LlvmMaker::~LlvmMaker() = default;

TargetMachine &LlvmMaker::machine(core::Tier tier) {
  auto &machine = tier == core::Tier::quick ? quick_ : full_;
  if (!machine)
    machine = compiler::make_target_machine(
        tier == core::Tier::quick ? CodeGenOptLevel::None : CodeGenOptLevel::Aggressive);
  return *machine;
}

LlvmMaker::Copy &LlvmMaker::copy() {
  if (copy_ && ++copy_->compiles < kCompilesPerContext)
    return *copy_;
  copy_.reset();
  auto fresh = std::make_unique<Copy>();
  compiler::know_load_marks(fresh->context);
  // The bitcode was written by Sartor when the module was loaded, or check_module() has accepted
  // it.
  fresh->module =
      cantFail(parseBitcodeFile(MemoryBufferRef(module_->bitcode, "handlers"), fresh->context));
  copy_ = std::move(fresh);
  return *copy_;
}

Result<core::CodeImage> LlvmMaker::generate_image(Module &module, TargetMachine &machine,
                                                  const std::string &symbol) {
  const auto object = generate(module, machine);
  if (const std::string errors = copy_->diagnostics.take_errors(); !errors.empty())
    return std::unexpected(Failure{ErrorCode::compile_failed, module.getModuleIdentifier(), errors,
                                   "the active variant stays; fix the handler"});
  if (!object)
    return std::unexpected(object.error());
  if (!compiler::is_for_kernel(module))
    return make_image(*object, symbol);
  core::CodeImage image;
  image.architecture = core::Architecture::kernel;
  image.name = symbol;
  image.code = *object;
  return image;
}

// Programs on this machine check its features before they call such code; devices have no such
// check.
std::string LlvmMaker::lacking_features(const Module &module) {
  std::string lacking;
  if (host_ && !host_->abi.empty())
    for (const Function &function : module)
      if (!function.isDeclaration() && lacking.empty())
        lacking = compiler::features_beyond(machine(core::Tier::full), function);
  return lacking;
}

Result<std::unique_ptr<core::Draft>>
LlvmMaker::draft(const core::Context &wanted, const std::string &symbol,
                 const core::Purpose &purpose,
                 const core::Deadline & /*drafting cannot be interrupted*/) {
  const Aim aimed = aim();
  const bool is_tested = test_stages && !core::is_generic(wanted);
  const auto changed = is_tested ? test_stages->context(wanted) : Result<core::Context>(wanted);
  if (!changed)
    return std::unexpected(changed.error());
  const core::Context &context = *changed;
  Copy &from = copy();
  auto specialized =
      from.stages.specialize(*from.module, module_->space, module_->symbols, context, kUnnamed);
  if (!specialized)
    return std::unexpected(std::move(specialized.error()));
  if (refuses_directives_)
    if (const std::string problem = assembly_problem(*specialized->module); !problem.empty())
      return std::unexpected(Failure{
          ErrorCode::compile_failed, context.handler, problem,
          "write it without the assembler's macros and includes, or set compiler = in-process"});
  specialized->module->setModuleIdentifier(kUnnamed);
  if (const std::string lacking = lacking_features(*specialized->module); !lacking.empty())
    return std::unexpected(Failure{ErrorCode::wrong_target, context.handler,
                                   "is compiled for instructions that the device does not say it "
                                   "has: " +
                                       lacking,
                                   "compile the handler without them, or have the device say so"});
  if (purpose.is_small)
    for (Function &function : *specialized->module) {
      function.addFnAttr(Attribute::OptimizeForSize);
      function.addFnAttr(Attribute::MinSize);
    }
  return std::make_unique<LlvmDraft>(*this, std::move(*specialized), symbol, context, purpose);
}

Result<core::CodeImage> LlvmMaker::entry_function(const std::string &handler,
                                                  const std::map<unsigned, BoundArgument> &bound,
                                                  bool inlined, const core::Deadline &deadline) {
  const Aim aimed = aim();
  Function *function = compiler::find_handler(*copy().module, handler);
  return make_thunk(compiler::entry_function(*function, bound, inlined),
                    core::entry_symbol(handler), deadline);
}

Result<core::CodeImage> LlvmMaker::rotation_stub(const std::string &handler,
                                                 const core::RotationSite &site,
                                                 const core::Deadline &deadline) {
  const Aim aimed = aim();
  Function *function = compiler::find_handler(*copy().module, handler);
  return make_thunk(compiler::rotation_stub(*function, site), rotation_symbol(handler), deadline);
}

Result<core::CheckingStub> LlvmMaker::checking_stub(const std::string &handler,
                                                    const core::Deadline &deadline) {
  const Aim aimed = aim();
  Function *function = compiler::find_handler(*copy().module, handler);
  const Comparable comparable(*function, *module_);
  core::CheckingStub made{comparable.comparability(), {}};
  if (made.comparability.how == core::Comparison::none)
    return made;
  auto image = make_thunk(compiler::checking_stub(*function, comparable),
                          core::checking_symbol(handler), deadline);
  if (!image)
    return std::unexpected(std::move(image.error()));
  made.image = std::move(*image);
  return made;
}

Result<core::FrameCall> LlvmMaker::frame_call(const std::string &handler) {
  const Aim aimed = aim();
  Function *function = compiler::find_handler(*copy().module, handler);
  if (!function)
    return std::unexpected(Failure{ErrorCode::unknown_handler, handler,
                                   "is no handler of this program", "name one of its handlers"});
  const std::string symbol = handler + " (frame)";
  auto code = make_thunk(compiler::frame_call(*function, symbol), symbol, core::NoDeadline());
  if (!code)
    return std::unexpected(std::move(code.error()));
  return core::FrameCall{compiler::frame_shape(*function), std::move(*code)};
}

Result<core::CodeImage> LlvmMaker::make_thunk(Result<std::unique_ptr<Module>> thunk,
                                              const std::string &symbol,
                                              const core::Deadline &deadline) {
  if (!thunk)
    return std::unexpected(std::move(thunk.error()));
  TargetMachine &machine = this->machine(core::Tier::full);
  if (auto optimized = optimize(**thunk, machine, {core::Tier::quick, {}, &deadline}); !optimized)
    return std::unexpected(std::move(optimized.error()));
  return generate_image(**thunk, machine, symbol);
}

} // namespace sartor::compiler
