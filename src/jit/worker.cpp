// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker.h"

#include <ctime>

#include <llvm/Bitcode/BitcodeReader.h>

#include "image/pack.h"
#include "jit/compile.h"
#include "jit/content_key.h"
#include "jit/entry_function.h"
#include "jit/make_image.h"
#include "jit/rotation_stub.h"
#include "point/context.h"
#include "point/diagnostics.h"
#include "point/host.h"
#include "specialize/specialize.h"

namespace sartor::jit {

using namespace llvm;

namespace {

// A context keeps every constant and metadata node it ever made. It is made anew after this many
// compiles, so that a program that specializes for a year does not grow.
constexpr unsigned kCompilesPerContext = 32;

Result<image::Image> generate_image(Module &module, TargetMachine &machine,
                                    point::Diagnostics &diagnostics, const std::string &symbol) {
  const auto object = generate(module, machine);
  if (const std::string errors = diagnostics.take_errors(); !errors.empty())
    return std::unexpected(Failure{ErrorCode::compile_failed, module.getModuleIdentifier(), errors,
                                   "what is in force stays; mend the handler"});
  if (!object)
    return std::unexpected(object.error());
  return make_image(*object, symbol);
}

StoredInfo describe(const VariantRecipe &recipe, const point::HandlerModule &module) {
  const Toolchain &toolchain = this_toolchain();
  return {recipe.symbol, recipe.context.handler, module.source,    "full",
          toolchain.cpu, toolchain.llvm,         toolchain.sartor, std::time(nullptr)};
}

} // namespace

// Made when they are needed: a program that finds all its code on disk needs none.
struct Worker::Machines {
  std::unique_ptr<TargetMachine> quick;
  std::unique_ptr<TargetMachine> full;
};

struct Worker::Copy {
  point::Context context;
  point::Diagnostics diagnostics{context};
  std::unique_ptr<Module> module;
  unsigned compiles = 0;
};

Worker::Worker(std::shared_ptr<const point::HandlerModule> module,
               std::shared_ptr<place::Linker> linker,
               std::shared_ptr<std::uint64_t[]> failure_counters, std::shared_ptr<DiskCache> disk,
               std::shared_ptr<SharedCache> shared)
    : module_(std::move(module)), linker_(std::move(linker)),
      failure_counters_(std::move(failure_counters)), disk_(std::move(disk)),
      shared_(std::move(shared)), machines_(std::make_unique<Machines>()) {}

Worker::~Worker() = default;

TargetMachine &Worker::machine(Tier tier) {
  auto &machine = tier == Tier::quick ? machines_->quick : machines_->full;
  if (!machine)
    machine = point::make_target_machine(tier == Tier::quick ? CodeGenOptLevel::None
                                                             : CodeGenOptLevel::Aggressive);
  return *machine;
}

Worker::Copy &Worker::copy() {
  if (copy_ && ++copy_->compiles < kCompilesPerContext)
    return *copy_;
  copy_.reset();
  auto fresh = std::make_unique<Copy>();
  // We wrote this bitcode ourselves when the module was loaded: nothing to check.
  fresh->module =
      cantFail(parseBitcodeFile(MemoryBufferRef(module_->bitcode, "handlers"), fresh->context));
  copy_ = std::move(fresh);
  return *copy_;
}

Result<std::unique_ptr<place::Code>> Worker::make_variant(const VariantRecipe &recipe,
                                                          Deadline deadline) {
  auto specialized = specialize::specialize(*copy().module, module_->space, module_->symbols,
                                            recipe.context, recipe.symbol);
  if (!specialized)
    return std::unexpected(std::move(specialized.error()));
  Module &module = *specialized->module;
  module.setModuleIdentifier(recipe.symbol);
  specialized->symbols.emplace(specialize::kFailureCounters, failure_counters_.get());
  const auto link = [&](const image::Image &image) {
    auto code = linker_->link(image, specialized->symbols);
    if (code) {
      (*code)->promises = std::move(specialized->promises);
      (*code)->remarks = std::move(specialized->remarks);
    }
    return code;
  };
  ContentKey key;
  if (disk_ || shared_) {
    key = content_key(module, Tier::full, recipe.pipeline);
    // What cannot be linked after all is made anew.
    const auto link_stored =
        [&](const std::string &stored) -> Result<std::unique_ptr<place::Code>> {
      const auto image = image::unpack(stored);
      return image ? link(*image) : std::unexpected(image.error());
    };
    if (const auto stored = disk_ ? disk_->find(key) : std::nullopt)
      if (auto code = link_stored(*stored)) {
        (*code)->origin = place::CodeOrigin::disk;
        return code;
      }
    if (const auto stored = shared_ ? shared_->find(key) : std::nullopt)
      if (auto code = link_stored(*stored)) {
        (*code)->origin = place::CodeOrigin::shared;
        if (disk_)
          disk_->insert(key, describe(recipe, *module_), *stored);
        return code;
      }
    // Past the deadline, this thread may be given up and nobody be there any more.
    if (recipe.not_stored && !deadline.passed())
      recipe.not_stored();
  }
  TargetMachine &machine = this->machine(recipe.tier);
  const CompileOptions options{recipe.tier, recipe.pipeline, &deadline};
  if (auto constant = check_assertions(module, machine, options); !constant)
    return std::unexpected(std::move(constant.error()));
  if (auto optimized = optimize(module, machine, options); !optimized)
    return std::unexpected(std::move(optimized.error()));
  const auto image = generate_image(module, machine, copy_->diagnostics, recipe.symbol);
  if (!image)
    return std::unexpected(image.error());
  auto code = link(*image);
  if (code && recipe.tier == Tier::full && (disk_ || shared_)) {
    const std::string packed = image::pack(*image);
    if (disk_)
      disk_->insert(key, describe(recipe, *module_), packed);
    if (shared_)
      shared_->insert(key, describe(recipe, *module_), packed);
  }
  return code;
}

Result<std::unique_ptr<place::Code>>
Worker::make_entry_function(const std::string &handler, const void *target,
                            const std::map<unsigned, BoundArgument> &bound, Deadline deadline) {
  Function *function = specialize::find_handler(*copy().module, handler);
  return link_thunk(entry_function(*function, target, bound), entry_symbol(handler), deadline);
}

Result<std::unique_ptr<place::Code>> Worker::make_rotation_stub(const std::string &handler,
                                                                const RotationSite &site,
                                                                Deadline deadline) {
  Function *function = specialize::find_handler(*copy().module, handler);
  return link_thunk(rotation_stub(*function, site), rotation_symbol(handler), deadline);
}

Result<std::unique_ptr<place::Code>> Worker::link_thunk(Result<std::unique_ptr<Module>> thunk,
                                                        const std::string &symbol,
                                                        Deadline deadline) {
  if (!thunk)
    return std::unexpected(std::move(thunk.error()));
  TargetMachine &machine = this->machine(Tier::full);
  if (auto optimized = optimize(**thunk, machine, {Tier::quick, {}, &deadline}); !optimized)
    return std::unexpected(std::move(optimized.error()));
  const auto image = generate_image(**thunk, machine, copy_->diagnostics, symbol);
  if (!image)
    return std::unexpected(image.error());
  return linker_->link(*image, {});
}

} // namespace sartor::jit
