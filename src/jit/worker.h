// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_WORKER_H
#define SARTOR_JIT_WORKER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <sartor/options.hpp>

#include "jit/deadline.h"
#include "jit/disk_cache.h"
#include "jit/rotation_block.h"
#include "jit/shared_cache.h"
#include "jit/tier.h"
#include "observe/result.h"
#include "place/code.h"
#include "place/linker.h"
#include "point/module.h"
#include "specialize/context.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace sartor::jit {

/// What a variant is made of.
struct VariantRecipe {
  specialize::Context context;
  std::string symbol; ///< As perf and gdb show the variant: `matmul{B=16}`.
  Tier tier = Tier::full;
  Pipeline pipeline;
  /// Called when no cache has code of the full tier, before anything is compiled.
  std::function<void()> not_stored = {};
};

/// Makes machine code of handlers. Owns its parsed copy of the handler module; one thread at a
/// time. Holds what it needs alive.
class Worker {
public:
  using Deadline = const jit::Deadline &;

  /// `failure_counters` has an element for each point of the module's space. `disk` and
  /// `shared` may be null.
  Worker(std::shared_ptr<const point::HandlerModule> module, std::shared_ptr<place::Linker> linker,
         std::shared_ptr<std::uint64_t[]> failure_counters,
         std::shared_ptr<DiskCache> disk = nullptr, std::shared_ptr<SharedCache> shared = nullptr);
  ~Worker();

  /// Takes the code of the full tier from the disk cache or the shared one, whichever tier is asked
  /// for, or compiles and, in the full tier, stores it. What is stored has passed
  /// check_assertions(). Fails with what specialize(), optimize(), check_assertions(), generate(),
  /// make_image() and Linker::link() fail with.
  Result<std::unique_ptr<place::Code>> make_variant(const VariantRecipe &recipe, Deadline deadline);

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
  struct Copy;
  struct Machines;

  Copy &copy();
  Result<std::unique_ptr<place::Code>> link_thunk(Result<std::unique_ptr<llvm::Module>> thunk,
                                                  const std::string &symbol, Deadline deadline);
  llvm::TargetMachine &machine(Tier tier);

  std::shared_ptr<const point::HandlerModule> module_;
  std::shared_ptr<place::Linker> linker_;
  std::shared_ptr<std::uint64_t[]> failure_counters_;
  std::shared_ptr<DiskCache> disk_;
  std::shared_ptr<SharedCache> shared_;
  std::unique_ptr<Machines> machines_;
  std::unique_ptr<Copy> copy_;
};

} // namespace sartor::jit

#endif
