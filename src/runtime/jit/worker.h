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

/// What a variant is made of.
struct VariantRecipe {
  core::Context context;
  std::string symbol; ///< As perf and gdb show the variant: `matmul{B=16}`.
  core::Tier tier = core::Tier::full;
  Pipeline pipeline;
  /// Called when no cache has code of the full tier, before anything is compiled.
  std::function<void()> not_stored = {};
  RecordAt record = {}; ///< Of the full tier, if it is compiled.
};

/// Makes machine code of handlers: asks the caches, then the compiler, and links what they give.
/// One thread at a time. Holds what it needs alive.
class Worker {
public:
  /// `failure_counters` has an element for each point of the module's space.
  Worker(std::shared_ptr<const core::HandlerModule> module, std::shared_ptr<Linker> linker,
         std::shared_ptr<std::uint64_t[]> failure_counters, core::Stores stores = {},
         CompilerAt where = {});
  ~Worker();

  /// Takes the code of the full tier from a store, whichever tier is asked for, or compiles and, in
  /// the full tier, stores it. Fails with what Maker::draft(),
  /// Draft::make() and Linker::link() fail with, and no_compiler.
  Result<std::unique_ptr<Code>> make_variant(const VariantRecipe &recipe,
                                             const core::Deadline &deadline);

  /// An image with holes for the values that the context tells. Fails as make_variant() does.
  Result<core::Image> make_template(const VariantRecipe &recipe, const core::Deadline &deadline);

  /// A function of the handler's own type that never changes and goes to the variant in force,
  /// whose address is read from `target` at each call, as Handler does. It takes what the source's
  /// parameters are that are not in `bound`, by index, and passes those by itself. Fails with
  /// point_not_specializable where a handler takes a variable number of arguments.
  Result<std::unique_ptr<Code>> make_entry_function(const std::string &handler, const void *target,
                                                    const std::map<unsigned, BoundArgument> &bound,
                                                    const core::Deadline &deadline);

  /// The function that an entry leads to while variants of the handler are rotated
  /// (rotation_stub.h). Fails as make_entry_function() does.
  Result<std::unique_ptr<Code>> make_rotation_stub(const std::string &handler,
                                                   const core::RotationSite &site,
                                                   const core::Deadline &deadline);

private:
  using Symbols = std::map<std::string, void *, std::less<>>;
  using KeyBy = std::function<std::optional<base::ContentKey>(const core::Making &)>;

  /// Made when it is needed, for what a message names.
  Result<core::Maker *> maker(const std::string &wanted);
  /// From the program's own file, under another name; null if it has none. `own`: names that the
  /// variant alone refers to.
  std::unique_ptr<Code> find_beforehand(const KeyBy &key_by, const std::string &name,
                                        const Symbols &own);
  /// From a cache; null if none has it. `own`: names that the variant alone refers to; `keeps`: who
  /// gets the image, if anybody.
  std::unique_ptr<Code> find(const base::ContentKey &key, const core::StoredInfo &info,
                             const Symbols &own, core::RecentImages *keeps = nullptr);
  /// The same, of a draft, and from what was made of others that are alike; `recent` is null where
  /// there are none.
  std::unique_ptr<Code> find(core::Draft &draft, const VariantRecipe &recipe, const Symbols &own,
                             core::RecentImages *recent);
  /// Puts what is kept for others into force under that name; null where it cannot be linked.
  std::unique_ptr<Code> link(core::Image image, const std::string &name, const Symbols &own);
  [[nodiscard]] core::StoredInfo describe(const VariantRecipe &recipe) const;
  [[nodiscard]] core::StoredInfo describe(const std::string &variant, const std::string &handler,
                                          const char *tier) const;

  std::shared_ptr<const core::HandlerModule> module_;
  std::shared_ptr<Linker> linker_;
  std::shared_ptr<std::uint64_t[]> failure_counters_;
  core::Stores stores_;
  CompilerAt where_;
  std::optional<core::Toolchain> toolchain_; ///< Of the maker's.
  std::unique_ptr<core::Maker> maker_;
};

} // namespace sartor::runtime

#endif
