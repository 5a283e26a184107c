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
class Promised {
public:
  /// Bytes as they are now. Returns the number of the promise.
  std::uint64_t add(const void *memory, std::size_t size);
  /// The first bytes of an object.
  template <class T> std::uint64_t add_part(const T &object, std::size_t size) {
    const std::uint64_t promise = add(static_cast<const void *>(&object), size);
    objects_.back().end = objects_.back().address + sizeof(T);
    return promise;
  }
  template <class T> std::uint64_t add(const T &object) {
    return add(static_cast<const void *>(&object), sizeof(T));
  }

  /// What is promised now, as long as `holds` says so.
  [[nodiscard]] std::shared_ptr<sartor::core::PromisedMemory> memory(bool holds = true) const;

private:
  std::vector<sartor::core::Region> regions_;
  std::vector<sartor::core::Extent> objects_;
};

/// What is left in the optimised IR of a variant.
struct Shape {
  unsigned blocks = 0;
  unsigned loops = 0;
  unsigned loads = 0;
  unsigned calls = 0; ///< Of functions, intrinsics apart.
  unsigned instructions = 0;
  unsigned accesses_in_loops = 0; ///< Of memory.
  unsigned loops_elsewhere = 0;   ///< In functions that it calls.
  std::string text;
};

/// A handler specialized, before it is optimised.
struct Made {
  std::string text;
  std::vector<std::string> remarks;
};

/// Makes variants of this program's handlers, with their first argument bound.
class Folding {
public:
  Folding();

  sartor::core::Context context(const std::string &handler, const void *bound,
                                const Promised &promised,
                                const sartor::Configuration &configuration = {}) const;

  sartor::core::Context context(const std::string &handler, const void *bound,
                                std::shared_ptr<sartor::core::PromisedMemory> memory,
                                const sartor::Configuration &configuration = {}) const;

  /// The variant; lives as long as this. Fails the test if it cannot be made.
  template <class Function>
  Function *variant(const std::string &handler, const void *bound, const Promised &promised,
                    const sartor::Configuration &configuration = {},
                    sartor::core::Tier tier = sartor::core::Tier::full) {
    return reinterpret_cast<Function *>(
        make(context(handler, bound, promised, configuration), tier));
  }

  /// Without bound arguments and invariant memory.
  sartor::core::Context context(const std::string &handler,
                                const sartor::Configuration &configuration) const;
  /// The variant of a context; lives as long as this.
  template <class Function>
  Function *made(const sartor::core::Context &context, sartor::core::Tier tier) {
    return reinterpret_cast<Function *>(make(context, tier));
  }

  [[nodiscard]] const sartor::Space &space() const { return module_->space; }
  [[nodiscard]] std::vector<std::string> handlers() const;
  Made specialized(const sartor::core::Context &context);
  /// What LLVM's verifier says of it, or why it could not be made; empty where it is valid.
  std::string problems(const sartor::core::Context &context);

  /// The promises on which the last variant leans.
  [[nodiscard]] const std::vector<std::uint64_t> &promises() const {
    return code_.back()->promises;
  }

  /// What has become of promised memory in the last variant.
  [[nodiscard]] const sartor::Folded &folded() const { return code_.back()->folded; }

  /// The variant's function, optimised.
  Shape shape(const sartor::core::Context &context);

private:
  void *make(sartor::core::Context context, sartor::core::Tier tier);

  std::shared_ptr<sartor::core::HandlerModule> module_;
  std::shared_ptr<sartor::runtime::Linker> linker_;
  std::unique_ptr<sartor::runtime::Worker> worker_;
  std::vector<std::unique_ptr<sartor::runtime::Code>> code_;
};

#endif
