// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_WORKER_H
#define SARTOR_RUNTIME_JIT_WORKER_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/cache/stores.h"
#include "core/compiler/compiler.h"
#include "core/compiler/deadline.h"
#include "core/compiler/rotation_block.h"
#include "core/compiler/tier.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/codemem/code.h"
#include "runtime/codemem/linker.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/recording.h"

namespace sartor::runtime {

/// The input for making a variant.
struct VariantRecipe {
  core::Context context;
  std::string symbol; ///< The name of the variant in perf and gdb: `matmul{B=16}`.
  core::Tier tier = core::Tier::full;
  Pipeline pipeline;
  /// Called when no cache has code of the full tier, before anything is compiled.
  std::function<void()> not_stored = {};
  RecordAt record = {};       ///< For the full tier, if it is compiled.
  bool keeps_request = false; ///< In Code::request.
  /// Called before anything is compiled; the error if that must not be.
  std::function<std::optional<Failure>()> refusal = {};
};

/// Where a checking stub may come from.
enum class StubSource : std::uint8_t { stores, stores_and_compiler };

/// Makes machine code of handlers: searches the caches, then calls the compiler, and links the
/// result. For use by one thread at a time. Keeps the objects that it needs alive.
class Worker {
public:
  /// `failure_counters` has an element for each point of the module's space.
  Worker(std::shared_ptr<const core::HandlerModule> module, std::shared_ptr<Linker> linker,
         std::shared_ptr<std::uint64_t[]> failure_counters, core::Stores stores = {},
         CompilerAt where = {});
  ~Worker();

  /// Takes the code of the full tier from a store, whichever tier is requested, or compiles and, in
  /// the full tier, stores it. Fails as Maker::draft(), Draft::make() and Linker::link() do, and
  /// with no_compiler.
  Result<std::unique_ptr<Code>> make_variant(const VariantRecipe &recipe,
                                             const core::Deadline &deadline);

  /// Makes an image with holes for the values in the context. Fails as make_variant() does.
  Result<core::CodeImage> make_template(const VariantRecipe &recipe,
                                        const core::Deadline &deadline);

  /// Makes a function of the handler's own type that never changes and calls the active variant,
  /// whose address it reads from `target` at each call, as Handler does. Its parameters are those
  /// of the source that are not in `bound` (by index); it passes the bound ones itself. Fails with
  /// point_not_specializable if the handler takes a variable number of arguments.
  Result<std::unique_ptr<Code>> make_entry_function(const std::string &handler, const void *target,
                                                    const std::map<unsigned, BoundArgument> &bound,
                                                    const core::Deadline &deadline);

  /// Makes the function that an entry points to while variants of the handler are rotated
  /// (rotation_stub.h). Fails as make_entry_function() does.
  Result<std::unique_ptr<Code>> make_rotation_stub(const std::string &handler,
                                                   const core::RotationSite &site,
                                                   const core::Deadline &deadline);

  /// Takes from a store, or makes and stores, the function that entries point to while their calls
  /// are compared (checking_stub.h). Fails as make_entry_function() does, and with no_compiler if
  /// it may only come from stores, and they do not have it.
  Result<core::CheckingStub> find_checking_stub(const std::string &handler, StubSource source,
                                                const core::Deadline &deadline);

private:
  using Symbols = std::map<std::string, void *, std::less<>>;
  using KeyBy = std::function<std::optional<base::ContentKey>(const core::Making &)>;

  /// Makes the code of a generated context, for a draft of `recording`'s, if that is not null.
  Result<std::unique_ptr<Code>> find_or_make(const VariantRecipe &recipe,
                                             const Recording *recording,
                                             const core::Deadline &deadline);
  [[nodiscard]] std::shared_ptr<const KeptRequest> kept(const VariantRecipe &recipe,
                                                        const Recording &recording) const;
  /// Created when it is needed; `wanted` is the purpose, as a message names it.
  Result<core::Maker *> maker(const std::string &wanted);
  /// Takes code from the program's own file and gives it another name; returns null if there is
  /// none. `own` contains names that only the variant refers to.
  std::unique_ptr<Code> find_ahead_of_time(const KeyBy &key_by, const std::string &name,
                                           const Symbols &own,
                                           Linker::Kind kind = Linker::Kind::variant);
  /// Takes code from a cache; returns null if none has it. `own` contains names that only the
  /// variant refers to; `keeps` receives the image, if not null.
  std::unique_ptr<Code> find(const base::ContentKey &key, const core::StoredInfo &info,
                             const Symbols &own, Linker::Kind kind = Linker::Kind::variant,
                             core::RecentImages *keeps = nullptr);
  /// As the other find(), for a draft, also from images of similar requests; `recent` is null if
  /// there are none.
  std::unique_ptr<Code> find(core::Draft &draft, const VariantRecipe &recipe, const Symbols &own,
                             core::RecentImages *recent);
  /// Links an image from a cache under this name; returns null if it cannot be linked.
  std::unique_ptr<Code> link(core::CodeImage image, const std::string &name, const Symbols &own,
                             Linker::Kind kind = Linker::Kind::variant);
  /// Takes a checking stub from the program's own file.
  [[nodiscard]] std::optional<core::CheckingStub>
  stub_ahead_of_time(const std::string &handler) const;
  [[nodiscard]] core::StoredInfo describe(const VariantRecipe &recipe) const;
  [[nodiscard]] core::StoredInfo describe(const std::string &variant, const std::string &handler,
                                          const char *tier) const;

  std::shared_ptr<const core::HandlerModule> module_;
  std::shared_ptr<Linker> linker_;
  std::shared_ptr<std::uint64_t[]> failure_counters_;
  core::Stores stores_;
  CompilerAt where_;
  std::optional<core::Toolchain> toolchain_; ///< The toolchain of the maker.
  std::unique_ptr<core::Maker> maker_;
};

} // namespace sartor::runtime

#endif
