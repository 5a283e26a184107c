// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_REACH_H
#define SARTOR_RUNTIME_ASSUMPTIONS_REACH_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "core/request/promised_memory.h"

namespace sartor::runtime {

class Registry;

/// What can be reached from some pieces of promised memory: asked for in no time, found by whoever
/// needs it first. Thread-safe.
class Reach final : public core::PromisedMemory {
public:
  /// `roots` are the numbers of pieces, sorted; `number` tells this from all others.
  Reach(Registry &registry, std::vector<std::uint64_t> roots, std::uint64_t number)
      : registry_(registry), roots_(std::move(roots)), number_(number) {}

  [[nodiscard]] std::uint64_t number() const override { return number_; }
  const Result<core::Reached> &read() override;
  [[nodiscard]] bool is_read() const override { return is_read_.load(std::memory_order_acquire); }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> promises,
                                    const core::NativeCall &call) override SARTOR_RUNS_PROGRAM;
  /// Runs `work`, which may read the memory of these promises. Returns false, having run nothing,
  /// if one does not hold any more.
  bool while_holding(std::span<const std::uint64_t> promises,
                     const std::function<void()> &work) SARTOR_RUNS_PROGRAM;

private:
  friend class Registry;

  Registry &registry_;
  const std::vector<std::uint64_t> roots_;
  const std::uint64_t number_;

  base::Mutex reading_;
  /// Never changes once `is_read_`.
  std::optional<Result<core::Reached>> outcome_;
  std::string name_;
  std::atomic<bool> is_read_ = false;

  // The registry's, under its lock.
  std::vector<std::uintptr_t> words_;   ///< What may be pointers in it, sorted.
  std::vector<std::uint64_t> promises_; ///< Of its pieces, sorted; before it is read, of the roots.
  std::size_t size_ = 0;                ///< How many pieces and words it has, about.
  std::uint64_t seen_ = 0; ///< Pieces shown up to this one are in it, or cannot be reached.
};

} // namespace sartor::runtime

#endif
