// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "folding.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <sartor/runtime.hpp>

#include "compiler/codegen/compile.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/load.h"
#include "compiler/specialize/specialize.h"
#include "core/compiler/no_deadline.h"
#include "core/space/fit.h"

namespace compiler = sartor::compiler;
namespace core = sartor::core;

namespace {

// Excludes loads from small tables of results that LLVM makes.
bool is_load_of_memory(const llvm::Instruction &instruction) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && !llvm::getUnderlyingObject(load->getPointerOperand())
                      ->getName()
                      .starts_with("switch.table");
}

// With recent images, code contains no addresses, as in programs.
sartor::core::Stores recent_images() {
  sartor::core::Stores stores;
  stores.recent = std::make_shared<sartor::core::RecentImages>(1U << 20U);
  return stores;
}

} // namespace

std::uint64_t InvariantFixture::add(const void *memory, std::size_t size) {
  const std::uint64_t invariant = regions_.size() + 1;
  regions_.push_back(
      {invariant, reinterpret_cast<std::uintptr_t>(memory),
       std::make_shared<const std::string>(static_cast<const char *>(memory), size)});
  objects_.push_back({regions_.back().address, regions_.back().end()});
  return invariant;
}

namespace {

/// Invariant memory that has already been read.
class ReadMemory final : public core::InvariantMemory {
public:
  ReadMemory(core::Reached reached, bool holds) : reached_(std::move(reached)), holds_(holds) {}

  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const sartor::Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t>,
                                    const core::NativeCall &call) override {
    const auto result = holds_ ? core::call_native(call) : std::unexpected(std::string());
    return result ? std::optional(*result) : std::nullopt;
  }

private:
  sartor::Result<core::Reached> reached_;
  bool holds_;
  std::string name_;
};

} // namespace

std::shared_ptr<core::InvariantMemory> InvariantFixture::memory(bool holds) const {
  core::Reached reached{regions_, objects_};
  std::ranges::sort(reached.regions, {}, &core::Region::address);
  std::ranges::sort(reached.objects, {}, &core::Extent::address);
  return std::make_shared<ReadMemory>(std::move(reached), holds);
}

Folding::Folding()
    : module_(std::make_shared<sartor::core::HandlerModule>(
          *sartor::compiler::load_embedded({__start_sartor_modules, __stop_sartor_modules}))),
      linker_(std::make_shared<sartor::runtime::Linker>(module_->symbols)),
      worker_(std::make_unique<sartor::runtime::Worker>(
          module_, linker_, std::make_shared<std::uint64_t[]>(256), recent_images())) {}

core::Context Folding::context(const std::string &handler, const void *bound,
                               const InvariantFixture &declared,
                               const sartor::Configuration &configuration) const {
  return context(handler, bound, declared.memory(), configuration);
}

core::Context Folding::context(const std::string &handler, const void *bound,
                               std::shared_ptr<core::InvariantMemory> memory,
                               const sartor::Configuration &configuration) const {
  core::Context context;
  context.handler = handler;
  context.arguments.emplace(0, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(bound)));
  context.configuration = *sartor::fit(configuration, module_->space);
  context.memory = std::move(memory);
  return context;
}

core::Context Folding::context(const std::string &handler,
                               const sartor::Configuration &configuration) const {
  core::Context context;
  context.handler = handler;
  context.configuration =
      module_->space.restrict(*sartor::fit(configuration, module_->space), handler);
  return context;
}

std::vector<std::string> Folding::handlers() const {
  std::vector<std::string> names;
  for (const auto &handler : module_->handlers)
    names.push_back(handler.name);
  return names;
}

Made Folding::specialized(const core::Context &context) {
  llvm::LLVMContext llvm;
  auto prepared = *sartor::compiler::read_module(module_->bitcode, "handlers", llvm);
  auto made = compiler::specialize(*prepared, module_->space, module_->symbols, context, "it");
  EXPECT_TRUE(made) << made.error().text();
  if (!made)
    return {};
  Made result;
  for (const sartor::Remark &remark : made->remarks)
    if (remark.code != sartor::RemarkCode::hooks_left_out) // occurs in sanitizer builds
      result.remarks.push_back(remark.text());
  llvm::raw_string_ostream(result.text) << *made->module;
  return result;
}

std::string Folding::problems(const core::Context &context) {
  llvm::LLVMContext llvm;
  auto prepared = *sartor::compiler::read_module(module_->bitcode, "handlers", llvm);
  auto made = compiler::specialize(*prepared, module_->space, module_->symbols, context, "it");
  if (!made && made.error().code != sartor::ErrorCode::too_many_bodies)
    return made.error().text();
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (made)
    llvm::verifyModule(*made->module, &stream);
  return problems;
}

void *Folding::make(core::Context context, sartor::core::Tier tier) {
  const std::string symbol = context.handler + "." + std::to_string(code_.size());
  auto made =
      worker_->make_variant({std::move(context), symbol, tier, {}}, sartor::core::NoDeadline());
  EXPECT_TRUE(made) << made.error().text();
  if (!made)
    return nullptr;
  code_.push_back(std::move(*made));
  return code_.back()->entry();
}

Shape Folding::shape(const core::Context &context) {
  Shape shape;
  llvm::LLVMContext llvm;
  auto prepared = *sartor::compiler::read_module(module_->bitcode, "handlers", llvm);
  auto made = compiler::specialize(*prepared, module_->space, module_->symbols, context, "it");
  EXPECT_TRUE(made) << made.error().text();
  if (!made)
    return shape;
  llvm::raw_string_ostream stream(shape.text);
  EXPECT_FALSE(llvm::verifyModule(*made->module, &stream)) << shape.text;
  const auto machine = sartor::compiler::make_target_machine(llvm::CodeGenOptLevel::Default);
  EXPECT_TRUE(sartor::compiler::optimize(*made->module, *machine, {}));
  llvm::Function &function = *made->module->getFunction("it");
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    ++shape.instructions;
    shape.loads += is_load_of_memory(instruction) ? 1 : 0;
    shape.calls +=
        llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction) ? 1
                                                                                               : 0;
  }
  shape.blocks = static_cast<unsigned>(function.size());
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  shape.loops = static_cast<unsigned>(loops.getLoopsInPreorder().size());
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    shape.accesses_in_loops +=
        loops.getLoopFor(instruction.getParent()) && instruction.mayReadOrWriteMemory() ? 1 : 0;
  for (llvm::Function &other : *made->module)
    if (!other.isDeclaration() && &other != &function)
      shape.loops_elsewhere += static_cast<unsigned>(
          llvm::LoopInfo(llvm::DominatorTree(other)).getLoopsInPreorder().size());
  shape.text.clear();
  stream << function;
  return shape;
}
