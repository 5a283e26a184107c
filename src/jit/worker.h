// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_WORKER_H
#define SARTOR_JIT_WORKER_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/options.hpp>

#include "compiler/compiler.h"
#include "compiler/deadline.h"
#include "compiler/rotation_block.h"
#include "compiler/tier.h"
#include "jit/find_compiler.h"
#include "jit/recording.h"
#include "observe/result.h"
#include "place/code.h"
#include "place/linker.h"
#include "request/context.h"
#include "space/module.h"
#include "store/stores.h"

namespace sartor::jit {

/// What a variant is made of.
struct VariantRecipe {
  specialize::Context context;
  std::string symbol; ///< As perf and gdb show the variant: `matmul{B=16}`.
  Tier tier = Tier::full;
  Pipeline pipeline;
  /// Called when no cache has code of the full tier, before anything is compiled.
  std::function<void()> not_stored = {};
  RecordAt record = {}; ///< Of the full tier, if it is compiled.
};

/// Makes machine code of handlers: asks the caches, then the compiler, and links what they give.
/// One thread at a time. Holds what it needs alive.
class Worker {
public:
  using Deadline = const jit::Deadline &;

  /// `failure_counters` has an element for each point of the module's space.
  Worker(std::shared_ptr<const point::HandlerModule> module, std::shared_ptr<place::Linker> linker,
         std::shared_ptr<std::uint64_t[]> failure_counters, store::Stores stores = {},
         CompilerAt where = {});
  ~Worker();

  /// Takes the code of the full tier from a store, whichever tier is asked for, or compiles and, in
  /// the full tier, stores it. Fails with what Maker::draft(),
  /// Draft::make() and Linker::link() fail with, and no_compiler.
  Result<std::unique_ptr<place::Code>> make_variant(const VariantRecipe &recipe, Deadline deadline);

  /// An image with holes for the values that the context tells. Fails as make_variant() does.
  Result<image::Image> make_template(const VariantRecipe &recipe, Deadline deadline);

  /// A function of the handler's own type that never changes and goes to the variant in force,
  /// whose address is read from `target` at each call, as Handler does. It takes what the source's
  /// parameters are that are not in `bound`, by index, and passes those by itself. Fails with
  /// point_not_specializable where a handler takes a variable number of arguments.
  Result<std::unique_ptr<place::Code>>
  make_entry_function(const std::string &handler, const void *target,
                      const std::map<unsigned, BoundArgument> &bound, Deadline deadline);

  /// The function that an entry leads to while variants of the handler are rotated
  /// (rotation_stub.h). Fails as make_entry_function() does.
  Result<std::unique_ptr<place::Code>>
  make_rotation_stub(const std::string &handler, const RotationSite &site, Deadline deadline);

private:
  using Symbols = std::map<std::string, void *, std::less<>>;
  using KeyBy = std::function<std::optional<store::ContentKey>(const store::Making &)>;

  /// Made when it is needed, for what a message names.
  Result<Maker *> maker(const std::string &wanted);
  /// From the program's own file, under another name; null if it has none. `own`: names that the
  /// variant alone refers to.
  std::unique_ptr<place::Code> find_beforehand(const KeyBy &key_by, const std::string &name,
                                               const Symbols &own);
  /// From a cache; null if none has it. `own`: names that the variant alone refers to; `keeps`: who
  /// gets the image, if anybody.
  std::unique_ptr<place::Code> find(const store::ContentKey &key, const store::StoredInfo &info,
                                    const Symbols &own, store::RecentImages *keeps = nullptr);
  /// The same, of a draft, and from what was made of others that are alike; `recent` is null where
  /// there are none.
  std::unique_ptr<place::Code> find(Draft &draft, const VariantRecipe &recipe, const Symbols &own,
                                    store::RecentImages *recent);
  /// Puts what is kept for others into force under that name; null where it cannot be linked.
  std::unique_ptr<place::Code> link(image::Image image, const std::string &name,
                                    const Symbols &own);
  [[nodiscard]] store::StoredInfo describe(const VariantRecipe &recipe) const;
  [[nodiscard]] store::StoredInfo describe(const std::string &variant, const std::string &handler,
                                           const char *tier) const;

  std::shared_ptr<const point::HandlerModule> module_;
  std::shared_ptr<place::Linker> linker_;
  std::shared_ptr<std::uint64_t[]> failure_counters_;
  store::Stores stores_;
  CompilerAt where_;
  std::optional<Toolchain> toolchain_; ///< Of the maker's.
  std::unique_ptr<Maker> maker_;
};

} // namespace sartor::jit

#endif
