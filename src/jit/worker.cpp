// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker.h"

#include <ctime>
#include <utility>

#include "image/pack.h"

namespace sartor::jit {

namespace {

StoredInfo describe(const VariantRecipe &recipe, const point::HandlerModule &module,
                    const Toolchain &toolchain) {
  return {recipe.symbol, recipe.context.handler, module.source,    "full",
          toolchain.cpu, toolchain.llvm,         toolchain.sartor, std::time(nullptr)};
}

} // namespace

Worker::Worker(std::shared_ptr<const point::HandlerModule> module,
               std::shared_ptr<place::Linker> linker,
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

Result<std::unique_ptr<place::Code>> Worker::make_variant(const VariantRecipe &recipe,
                                                          Deadline deadline) {
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  auto drafted = (*maker)->draft(recipe.context, recipe.symbol);
  if (!drafted)
    return std::unexpected(std::move(drafted.error()));
  Draft &draft = **drafted;
  draft.symbols.emplace(specialize::kFailureCounters, failure_counters_.get());
  const auto link = [&](const image::Image &image) {
    auto code = linker_->link(image, draft.symbols);
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
          disk_->insert(key, info(), *stored);
        return code;
      }
    // Past the deadline, this thread may be given up and nobody be there any more.
    if (recipe.not_stored && !deadline.passed())
      recipe.not_stored();
  }
  const auto image = draft.make(recipe.tier, recipe.pipeline, deadline);
  if (!image)
    return std::unexpected(image.error());
  auto code = link(*image);
  if (code && recipe.tier == Tier::full && (disk_ || shared_)) {
    const std::string packed = image::pack(*image);
    if (disk_)
      disk_->insert(key, info(), packed);
    if (shared_)
      shared_->insert(key, info(), packed);
  }
  return code;
}

Result<std::unique_ptr<place::Code>>
Worker::make_entry_function(const std::string &handler, const void *target,
                            const std::map<unsigned, BoundArgument> &bound, Deadline deadline) {
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  return link((*maker)->entry_function(handler, target, bound, deadline));
}

Result<std::unique_ptr<place::Code>> Worker::make_rotation_stub(const std::string &handler,
                                                                const RotationSite &site,
                                                                Deadline deadline) {
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  return link((*maker)->rotation_stub(handler, site, deadline));
}

Result<std::unique_ptr<place::Code>> Worker::link(const Result<image::Image> &thunk) {
  if (!thunk)
    return std::unexpected(thunk.error());
  return linker_->link(*thunk, {});
}

} // namespace sartor::jit
