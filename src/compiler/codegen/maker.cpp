// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/maker.h"

#include <cstring>
#include <utility>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include "compiler/codegen/assembly.h"
#include "compiler/codegen/compile.h"
#include "compiler/codegen/content_key.h"
#include "compiler/codegen/entry_function.h"
#include "compiler/codegen/kernel_code.h"
#include "compiler/codegen/make_image.h"
#include "compiler/codegen/rotation_stub.h"
#include "compiler/frontend/context.h"
#include "compiler/frontend/diagnostics.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/kernel.h"
#include "compiler/specialize/keep_loads.h"
#include "compiler/specialize/leave_out_addresses.h"
#include "compiler/specialize/likely.h"
#include "compiler/specialize/specialize.h"
#include "compiler/specialize/stages.h"
#include "core/compiler/entry_symbols.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// A context keeps every constant and metadata node it ever created. It is replaced after this many
// compilations, so that the memory of a long-running program does not grow.
constexpr unsigned kCompilesPerContext = 32;

// The name of variants until their keys are known: their own names contain addresses.
constexpr const char *kUnnamed = "sartor.variant";

void name(Module &module, StringRef name) {
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

class LlvmDraft final : public core::Draft {
public:
  LlvmDraft(LlvmMaker &maker, Specialized specialized, const std::string &symbol,
            const core::Context &context, const core::Purpose &purpose)
      : maker_(maker), module_(std::move(specialized.module)), purpose_(purpose) {
    if (purpose.wants_key) {
      places = compiler::leave_out_addresses(
          *module_, context.memory ? context.memory->read()->objects : std::vector<core::Extent>());
      key = content_key(*module_, core::Tier::full, purpose.pipeline);
    }
    name(*module_, symbol);
    invariants = std::move(specialized.invariants);
    from_stage = specialized.from_stage;
    remarks = std::move(specialized.remarks);
    fold_report = std::move(specialized.report);
  }

  Result<core::CodeImage> make(const core::Deadline &deadline) override {
    const Aim aim = maker_.aim();
    TargetMachine &machine = maker_.machine(purpose_.tier);
    if (compiler::is_for_kernel(*module_))
      finish_for_kernel(*module_, maker_.space());
    const CompileOptions options{purpose_.tier, purpose_.pipeline, &deadline};
    if (auto constant = check_assertions(*module_, machine, options); !constant)
      return std::unexpected(std::move(constant.error()));
    if (auto optimized = optimize(*module_, machine, options); !optimized)
      return std::unexpected(std::move(optimized.error()));
    if (compiler::is_for_kernel(*module_))
      define_all_values(*module_);
    FoldReport left;
    count_indirect(*module_, left); // before code generation changes the module
    auto image = maker_.generate_image(*module_, machine, module_->getModuleIdentifier());
    if (image) {
      image->remarks = remarks;
      image->fold_report = fold_report;
      image->fold_report.invariants.clear();
      image->fold_report.indirect_jumps = left.indirect_jumps;
      image->fold_report.indirect_calls = left.indirect_calls;
    }
    return image;
  }

private:
  LlvmMaker &maker_;
  std::unique_ptr<Module> module_;
  core::Purpose purpose_;
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
LlvmMaker::draft(const core::Context &context, const std::string &symbol,
                 const core::Purpose &purpose,
                 const core::Deadline & /*drafting cannot be interrupted*/) {
  const Aim aimed = aim();
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
