// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_FOLDING_H
#define SARTOR_TEST_SPECIALIZE_FOLDING_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/compiler/tier.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/jit/worker.h"

/// Memory that is declared invariant, for one variant.
class InvariantFixture {
public:
  /// Declares the present bytes invariant. Returns the number of the invariant.
  std::uint64_t add(const void *memory, std::size_t size);
  /// Declares the first bytes of an object invariant.
  template <class T> std::uint64_t add_part(const T &object, std::size_t size) {
    const std::uint64_t invariant = add(static_cast<const void *>(&object), size);
    objects_.back().end = objects_.back().address + sizeof(T);
    return invariant;
  }
  template <class T> std::uint64_t add(const T &object) {
    return add(static_cast<const void *>(&object), sizeof(T));
  }

  /// The declared memory; it is invariant as long as `holds` is true.
  [[nodiscard]] std::shared_ptr<sartor::core::InvariantMemory> memory(bool holds = true) const;

private:
  std::vector<sartor::core::Region> regions_;
  std::vector<sartor::core::Extent> objects_;
};

/// Properties of the optimised IR of a variant.
struct Shape {
  unsigned blocks = 0;
  unsigned loops = 0;
  unsigned loads = 0;
  unsigned calls = 0; ///< Calls of functions, without intrinsics.
  unsigned instructions = 0;
  unsigned accesses_in_loops = 0; ///< Accesses to memory.
  unsigned loops_elsewhere = 0;   ///< Loops in called functions.
  std::string text;
};

/// A specialized handler before optimisation.
struct Made {
  std::string text;
  std::vector<std::string> remarks;
};

/// Makes variants of this program's handlers with their first argument bound.
class Folding {
public:
  Folding();

  sartor::core::Context context(const std::string &handler, const void *bound,
                                const InvariantFixture &declared,
                                const sartor::Configuration &configuration = {}) const;

  sartor::core::Context context(const std::string &handler, const void *bound,
                                std::shared_ptr<sartor::core::InvariantMemory> memory,
                                const sartor::Configuration &configuration = {}) const;

  /// The variant; it lives as long as this object. Fails the test if it cannot be compiled.
  template <class Function>
  Function *variant(const std::string &handler, const void *bound, const InvariantFixture &declared,
                    const sartor::Configuration &configuration = {},
                    sartor::core::Tier tier = sartor::core::Tier::full) {
    return reinterpret_cast<Function *>(
        make(context(handler, bound, declared, configuration), tier));
  }

  /// A context without bound arguments and invariant memory.
  sartor::core::Context context(const std::string &handler,
                                const sartor::Configuration &configuration) const;
  /// The variant of a context; it lives as long as this object.
  template <class Function>
  Function *made(const sartor::core::Context &context, sartor::core::Tier tier) {
    return reinterpret_cast<Function *>(make(context, tier));
  }

  [[nodiscard]] const sartor::Space &space() const { return module_->space; }
  [[nodiscard]] std::vector<std::string> handlers() const;
  Made specialized(const sartor::core::Context &context);
  /// The errors of LLVM's verifier, or the reason why the variant could not be made; empty if it is
  /// valid.
  std::string problems(const sartor::core::Context &context);

  /// The invariants that the last variant depends on.
  [[nodiscard]] const std::vector<std::uint64_t> &invariants() const {
    return code_.back()->invariants;
  }

  /// The use of invariant memory in the last variant.
  [[nodiscard]] const sartor::FoldReport &fold_report() const { return code_.back()->fold_report; }

  /// The properties of the optimised variant.
  Shape shape(const sartor::core::Context &context);

private:
  void *make(sartor::core::Context context, sartor::core::Tier tier);

  std::shared_ptr<sartor::core::HandlerModule> module_;
  std::shared_ptr<sartor::runtime::Linker> linker_;
  std::unique_ptr<sartor::runtime::Worker> worker_;
  std::vector<std::unique_ptr<sartor::runtime::Code>> code_;
};

#endif
