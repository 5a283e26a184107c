// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker.h"

#include <ctime>
#include <utility>

#include "image/pack.h"
#include "store/request_key.h"

namespace sartor::jit {

Worker::Worker(std::shared_ptr<const point::HandlerModule> module,
               std::shared_ptr<place::Linker> linker,
               std::shared_ptr<std::uint64_t[]> failure_counters, store::Stores stores)
    : module_(std::move(module)), linker_(std::move(linker)),
      failure_counters_(std::move(failure_counters)), stores_(std::move(stores)) {}

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
  // A request that is not this process's alone is answered without the compiler.
  auto key = stores_.empty() ? std::nullopt
                             : store::request_key(*module_, recipe.context, recipe.pipeline,
                                                  store::made_here());
  Symbols own{{specialize::kFailureCounters, failure_counters_.get()}};
  if (key)
    if (auto code = find(*key, recipe, own, {}))
      return code;
  auto maker = this->maker();
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  auto drafted = (*maker)->draft(recipe.context, recipe.symbol);
  if (!drafted)
    return std::unexpected(std::move(drafted.error()));
  Draft &draft = **drafted;
  own.merge(draft.symbols);
  if (!key && !stores_.empty() && !compiler_->toolchain().build.empty()) {
    key = draft.key(recipe.pipeline);
    if (auto code = find(*key, recipe, own, draft.promises)) {
      (*code).remarks = std::move(draft.remarks); // of another request, it may be
      return code;
    }
  }
  // Past the deadline, this thread may be given up and nobody be there any more.
  if (!stores_.empty() && recipe.not_stored && !deadline.passed())
    recipe.not_stored();
  const auto image = draft.make(recipe.tier, recipe.pipeline, deadline);
  if (!image)
    return std::unexpected(image.error());
  auto code = linker_->link(*image, own);
  if (!code)
    return code;
  (*code)->promises = std::move(draft.promises);
  if (key && recipe.tier == Tier::full)
    stores_.insert(*key, describe(recipe), image::pack(*image));
  return code;
}

std::unique_ptr<place::Code> Worker::find(const store::ContentKey &key, const VariantRecipe &recipe,
                                          const Symbols &own,
                                          const std::vector<std::uint64_t> &promises) {
  std::unique_ptr<place::Code> found;
  // What cannot be linked after all is made anew.
  const auto take = [&](std::string_view stored) {
    const auto image = image::unpack(stored);
    if (auto code = image ? linker_->link(*image, own) : std::unexpected(image.error()))
      found = std::move(*code);
    return found != nullptr;
  };
  if (const auto origin = stores_.find(key, describe(recipe), take)) {
    found->origin = *origin;
    found->promises = promises;
  }
  return found;
}

store::StoredInfo Worker::describe(const VariantRecipe &recipe) const {
  store::StoredInfo info;
  info.variant = recipe.symbol;
  info.handler = recipe.context.handler;
  info.source = module_->source;
  info.tier = "full";
  if (compiler_) { // else somebody else's has made it
    const Toolchain &toolchain = compiler_->toolchain();
    info.cpu = toolchain.cpu;
    info.llvm = toolchain.llvm;
    info.sartor = toolchain.sartor;
  }
  info.made = std::time(nullptr);
  return info;
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
