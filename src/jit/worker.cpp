// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker.h"

#include <ctime>
#include <utility>

namespace sartor::jit {

namespace {

StoredInfo describe(const VariantRecipe &recipe, const point::HandlerModule &module,
                    const Toolchain &toolchain) {
  return {recipe.symbol, recipe.context.handler, module.source,    "full",
          toolchain.cpu, toolchain.llvm,         toolchain.sartor, std::time(nullptr)};
}

} // namespace

Worker::Worker(std::shared_ptr<const point::HandlerModule> module, std::shared_ptr<Linker> linker,
               std::shared_ptr<std::uint64_t[]> failure_counters, std::shared_ptr<DiskCache> disk,
               std::shared_ptr<SharedCache> shared)
    : module_(std::move(module)), linker_(std::move(linker)),
      failure_counters_(std::move(failure_counters)), disk_(std::move(disk)),
      shared_(std::move(shared)) {}

Worker::~Worker() = default;

Result<Maker *> Worker::maker() {
  if (!maker_) {
    auto found = compiler();
    if (!found)
      return std::unexpected(std::move(found.error()));
    compiler_ = *found;
    maker_ = compiler_->make_maker(module_);
  }
  return maker_.get();
}

Result<std::unique_ptr<Code>> Worker::make_variant(const VariantRecipe &recipe, Deadline deadline) {
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  auto drafted = (*maker)->draft(recipe.context, recipe.symbol);
  if (!drafted)
    return std::unexpected(std::move(drafted.error()));
  Draft &draft = **drafted;
  draft.symbols.emplace(specialize::kFailureCounters, failure_counters_.get());
  const auto link = [&](const std::string &object) {
    auto code = linker_->link(object, recipe.symbol, draft.symbols);
    if (code) {
      (*code)->promises = std::move(draft.promises);
      (*code)->remarks = std::move(draft.remarks);
    }
    return code;
  };
  const auto info = [&] { return describe(recipe, *module_, compiler_->toolchain()); };
  ContentKey key{};
  if (disk_ || shared_) {
    key = draft.key(recipe.pipeline);
    // Code that cannot be linked after all is made anew.
    if (const auto stored = disk_ ? disk_->find(key) : std::nullopt)
      if (auto code = link(*stored)) {
        (*code)->origin = CodeOrigin::disk;
        return code;
      }
    if (const auto stored = shared_ ? shared_->find(key) : std::nullopt)
      if (auto code = link(*stored)) {
        (*code)->origin = CodeOrigin::shared;
        if (disk_)
          disk_->insert(key, info(), *stored);
        return code;
      }
    // Past the deadline, this thread may be given up and nobody be there any more.
    if (recipe.not_stored && !deadline.passed())
      recipe.not_stored();
  }
  auto object = draft.make(recipe.tier, recipe.pipeline, deadline);
  if (!object)
    return std::unexpected(std::move(object.error()));
  auto code = link(*object);
  if (code && recipe.tier == Tier::full) {
    if (disk_)
      disk_->insert(key, info(), *object);
    if (shared_)
      shared_->insert(key, info(), *object);
  }
  return code;
}

Result<std::unique_ptr<Code>>
Worker::make_entry_function(const std::string &handler, const void *target,
                            const std::map<unsigned, BoundArgument> &bound, Deadline deadline) {
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  return link((*maker)->entry_function(handler, target, bound, deadline));
}

Result<std::unique_ptr<Code>> Worker::make_rotation_stub(const std::string &handler,
                                                         const RotationSite &site,
                                                         Deadline deadline) {
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  return link((*maker)->rotation_stub(handler, site, deadline));
}

Result<std::unique_ptr<Code>> Worker::link(const Result<Thunk> &thunk) {
  if (!thunk)
    return std::unexpected(thunk.error());
  return linker_->link(thunk->object, thunk->symbol, {});
}

} // namespace sartor::jit
