// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/worker.h"

#include <cstdlib>
#include <ctime>
#include <optional>
#include <utility>

#include "base/readers.h"
#include "core/cache/request_key.h"
#include "core/compiler/entry_symbols.h"
#include "core/compiler/stored_stub.h"
#include "core/image/pack.h"
#include "core/profile/store.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/generate.h"

namespace sartor::runtime {

namespace {

using core::RecentImages;
using Symbols = std::map<std::string, void *, std::less<>>;

Symbols with_places(Symbols symbols, const std::vector<std::uint64_t> &places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    symbols.emplace(core::place_symbol(i),
                    reinterpret_cast<void *>(places[i])); // NOLINT(performance-no-int-to-ptr)
  return symbols;
}

} // namespace

Worker::Worker(std::shared_ptr<const core::HandlerModule> module, std::shared_ptr<Linker> linker,
               std::shared_ptr<std::uint64_t[]> failure_counters, core::Stores stores,
               CompilerAt where)
    : module_(std::move(module)), linker_(std::move(linker)),
      failure_counters_(std::move(failure_counters)), stores_(std::move(stores)),
      where_(std::move(where)) {}

Worker::~Worker() = default;

Result<core::Maker *> Worker::maker(const std::string &wanted) {
  if (!maker_) {
    auto found = choose_compiler(where_, wanted);
    if (!found)
      return std::unexpected(std::move(found.error()));
    auto toolchain = (*found)->toolchain();
    if (!toolchain)
      return std::unexpected(std::move(toolchain.error()));
    toolchain_ = std::move(*toolchain);
    maker_ = (*found)->make_maker(module_);
  }
  return maker_.get();
}

Result<core::CodeImage> Worker::make_template(const VariantRecipe &recipe,
                                              const core::Deadline &deadline) {
  auto maker = this->maker(recipe.symbol);
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  auto drafted = (*maker)->draft(
      recipe.context, recipe.symbol,
      {.tier = recipe.tier, .pipeline = recipe.pipeline, .memory = where_.memory}, deadline);
  if (!drafted)
    return std::unexpected(std::move(drafted.error()));
  return (*drafted)->make(deadline);
}

Result<std::unique_ptr<Code>> Worker::make_variant(const VariantRecipe &recipe,
                                                   const core::Deadline &deadline) {
  if (!recipe.context.custom_kinds.empty()) {
    auto context = generate(recipe.context, module_->space);
    if (!context)
      return std::unexpected(std::move(context.error()));
    VariantRecipe generated = recipe;
    generated.context = std::move(*context);
    return make_variant(generated, deadline);
  }
  const bool writes = recipe.tier == core::Tier::full && !recipe.record.directory.empty();
  std::optional<Recording> recording;
  if (writes || recipe.keeps_request)
    recording.emplace(writes ? recipe.record : RecordAt{{}, recipe.record.quasi_invariant_name},
                      recipe.context, *module_);
  auto code = find_or_make(recipe, recording ? &*recording : nullptr, deadline);
  if (code && recipe.keeps_request)
    (*code)->request = kept(recipe, *recording);
  return code;
}

std::shared_ptr<const KeptRequest> Worker::kept(const VariantRecipe &recipe,
                                                const Recording &recording) const {
  KeptRequest request = recording.keep(recipe.symbol, {recipe.tier, recipe.pipeline});
  if (toolchain_)
    request.llvm = toolchain_->llvm;
  // A compiler with a build id makes no mutants.
  if (const char *mutant = std::getenv("SARTOR_MUTANT");
      mutant && toolchain_ && toolchain_->build.empty())
    request.mutant = mutant;
  return std::make_shared<const KeptRequest>(std::move(request));
}

Result<std::unique_ptr<Code>> Worker::find_or_make(const VariantRecipe &recipe,
                                                   const Recording *recording,
                                                   const core::Deadline &deadline) {
  const Symbols own{{core::kFailureCounters, failure_counters_.get()},
                    {core::kRecord, reinterpret_cast<void *>(&core::record)}};
  // A request that does not depend on this process is answered without the compiler.
  const auto key_by = [&](const core::Making &making) {
    return core::request_key(*module_, recipe.context, recipe.pipeline, making);
  };
  if (auto code = find_ahead_of_time(key_by, recipe.symbol, own))
    return code;
  auto key = stores_.keep_nothing() ? std::nullopt : key_by(core::made_here());
  if (key)
    if (auto code = find(*key, describe(recipe), own))
      return code;
  const auto report_not_stored = [&] {
    // After the deadline, this thread may have been abandoned and the receiver may be gone.
    if (recipe.not_stored && !deadline.passed())
      recipe.not_stored();
  };
  if (stores_.keep_nothing() && !stores_.empty())
    report_not_stored();
  if (auto refused = recipe.refusal ? recipe.refusal() : std::nullopt)
    return std::unexpected(std::move(*refused));
  auto maker = this->maker(recipe.symbol);
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  // A compiler without a build id, such as one with mutants, has no code that others may use.
  const bool may_keep = !stores_.keep_nothing() && !toolchain_->build.empty();
  RecentImages *const recent =
      core::is_of_objects(*module_, recipe.context) ? stores_.recent.get() : nullptr;
  const core::Purpose purpose{.tier = recipe.tier,
                              .pipeline = recipe.pipeline,
                              .wants_key = !key && (may_keep || recent),
                              .memory = where_.memory};
  auto drafted = (*maker)->draft(recording ? recording->context() : recipe.context, recipe.symbol,
                                 purpose, deadline);
  if (!drafted) {
    if (recording)
      (void)recording->write(recipe.symbol, purpose);
    return std::unexpected(std::move(drafted.error()));
  }
  core::Draft &draft = **drafted;
  const Symbols all = with_places(own, draft.places);
  if (draft.key)
    if (auto code = find(draft, recipe, all, recent))
      return code;
  if (!stores_.keep_nothing())
    report_not_stored();
  const auto recorded = recording ? recording->write(recipe.symbol, purpose) : Result<void>();
  auto image = draft.make(deadline);
  if (!image)
    return std::unexpected(image.error());
  auto code = linker_->link(*image, all);
  if (!code)
    return code;
  if (!recorded)
    (*code)->remarks.push_back({RemarkCode::not_recorded, recorded.error().text()});
  (*code)->invariants = std::move(draft.invariants);
  (*code)->fold_report.invariants = std::move(draft.fold_report.invariants);
  (*code)->from_stage = draft.from_stage;
  (*code)->asked = draft.asked;
  if (recipe.tier != core::Tier::full)
    return code;
  // The key from before is of the LLVM here; a server may have another.
  if (!key || !core::has_llvm_of_here(toolchain_->build))
    key = draft.key;
  if (key && may_keep)
    stores_.insert(*key, describe(recipe), core::pack_image(*image));
  if (draft.key && recent)
    recent->insert(*draft.key, std::move(*image));
  return code;
}

std::unique_ptr<Code> Worker::find_ahead_of_time(const KeyBy &key_by, const std::string &name,
                                                 const Symbols &own, Linker::Kind kind) {
  if (!stores_.ahead_of_time)
    return nullptr;
  for (const core::Making &making : stores_.ahead_of_time->makings()) {
    const auto key = key_by(making);
    const auto stored = key ? stores_.ahead_of_time->find(*key) : std::nullopt;
    if (!stored)
      continue;
    auto image = core::unpack_image(*stored);
    if (auto code = image ? link(std::move(*image), name, own, kind) : nullptr) {
      code->origin = core::CodeOrigin::ahead_of_time;
      return code;
    }
  }
  return nullptr;
}

std::unique_ptr<Code> Worker::find(const base::ContentKey &key, const core::StoredInfo &info,
                                   const Symbols &own, Linker::Kind kind, RecentImages *keeps) {
  std::unique_ptr<Code> found;
  const auto origin = stores_.find(key, info, [&](std::string_view stored) {
    auto image = core::unpack_image(stored);
    found = image ? link(*image, info.variant, own, kind) : nullptr;
    if (found && keeps)
      keeps->insert(key, std::move(*image));
    return found != nullptr;
  });
  if (found)
    found->origin = *origin;
  return found;
}

std::unique_ptr<Code> Worker::find(core::Draft &draft, const VariantRecipe &recipe,
                                   const Symbols &own, RecentImages *recent) {
  std::unique_ptr<Code> found;
  if (const auto image = recent ? recent->find(*draft.key) : nullptr) {
    found = link(*image, recipe.symbol, own);
    if (found)
      found->origin = core::CodeOrigin::alike;
  }
  if (!found && !stores_.keep_nothing() && !toolchain_->build.empty())
    found = find(*draft.key, describe(recipe), own, Linker::Kind::variant, recent);
  if (found) {
    found->invariants = std::move(draft.invariants);
    // The remarks in the image may be those of another request.
    found->remarks = std::move(draft.remarks);
    found->fold_report.invariants = std::move(draft.fold_report.invariants);
    found->fold_report.loops = std::move(draft.fold_report.loops);
  }
  return found;
}

// Code that cannot be linked is made again.
std::unique_ptr<Code> Worker::link(core::CodeImage image, const std::string &name,
                                   const Symbols &own, Linker::Kind kind) {
  core::rename(image, name);
  auto code = linker_->link(image, own, kind);
  return code ? std::move(*code) : nullptr;
}

core::StoredInfo Worker::describe(const VariantRecipe &recipe) const {
  return describe(recipe.symbol, recipe.context.handler, "full");
}

core::StoredInfo Worker::describe(const std::string &variant, const std::string &handler,
                                  const char *tier) const {
  core::StoredInfo info;
  info.variant = variant;
  info.handler = handler;
  info.source = module_->source;
  info.tier = tier;
  if (toolchain_) { // empty if another process has made it
    info.cpu = toolchain_->cpu;
    info.llvm = toolchain_->llvm;
    info.sartor = toolchain_->sartor;
  }
  info.made = std::time(nullptr);
  return info;
}

Result<std::unique_ptr<Code>>
Worker::make_entry_function(const std::string &handler, const void *target,
                            const std::map<unsigned, BoundArgument> &bound,
                            const core::Deadline &deadline) {
  const Symbols own = core::entry_symbols(target);
  const bool inlined = base::has_membarrier();
  // Code with bound arguments is mostly specific to this process.
  const auto key_by = [&](const core::Making &making) {
    return bound.empty() ? core::entry_key(*module_, handler, inlined, making) : std::nullopt;
  };
  const std::string name = core::entry_symbol(handler);
  if (auto code = find_ahead_of_time(key_by, name, own, Linker::Kind::stub))
    return code;
  const auto key = stores_.keep_nothing() ? std::nullopt : key_by(core::made_here());
  if (key)
    if (auto code = find(*key, describe(name, handler, "entry"), own, Linker::Kind::stub))
      return code;
  auto maker = this->maker("a function of the type of " + handler);
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  const auto image = (*maker)->entry_function(handler, bound, inlined, deadline);
  if (!image)
    return std::unexpected(image.error());
  auto code = linker_->link(*image, own, Linker::Kind::stub);
  if (code && key && core::has_llvm_of_here(toolchain_->build))
    stores_.insert(*key, describe(name, handler, "entry"), core::pack_image(*image));
  return code;
}

Result<std::unique_ptr<Code>> Worker::make_rotation_stub(const std::string &handler,
                                                         const core::RotationSite &site,
                                                         const core::Deadline &deadline) {
  auto maker = this->maker("what times calls of " + handler);
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  const auto image = (*maker)->rotation_stub(handler, site, deadline);
  if (!image)
    return std::unexpected(image.error());
  return linker_->link(*image, {}, Linker::Kind::stub);
}

std::optional<core::CheckingStub> Worker::stub_ahead_of_time(const std::string &handler) const {
  if (!stores_.ahead_of_time)
    return std::nullopt;
  for (const core::Making &making : stores_.ahead_of_time->makings()) {
    const auto key = core::stub_key(*module_, handler, making);
    const auto stored = key ? stores_.ahead_of_time->find(*key) : std::nullopt;
    if (!stored)
      continue;
    if (auto stub = core::unpack_stub(*stored))
      return std::move(*stub);
  }
  return std::nullopt;
}

Result<core::CheckingStub> Worker::find_checking_stub(const std::string &handler, StubSource source,
                                                      const core::Deadline &deadline) {
  if (auto stub = stub_ahead_of_time(handler))
    return std::move(*stub);
  const auto key =
      stores_.keep_nothing() ? std::nullopt : core::stub_key(*module_, handler, core::made_here());
  const std::string name = core::checking_symbol(handler);
  std::optional<core::CheckingStub> found;
  const auto take = [&](std::string_view stored) {
    auto stub = core::unpack_stub(stored);
    if (stub)
      found = std::move(*stub);
    return found.has_value();
  };
  if (key && stores_.find(*key, describe(name, handler, "check"), take))
    return std::move(*found);
  if (source == StubSource::stores)
    return std::unexpected(Failure{
        ErrorCode::no_compiler, name, "is in no cache, and no compiler is started for it alone",
        "fill the cache by a process that compares, or compile the program ahead of time again"});
  auto maker = this->maker("what compares calls of " + handler);
  if (!maker)
    return std::unexpected(std::move(maker.error()));
  auto stub = (*maker)->checking_stub(handler, deadline);
  if (stub && key && !toolchain_->build.empty() && core::has_llvm_of_here(toolchain_->build))
    stores_.insert(*key, describe(name, handler, "check"), core::pack_stub(*stub));
  return stub;
}

} // namespace sartor::runtime
