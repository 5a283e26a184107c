// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_REACH_H
#define SARTOR_RUNTIME_ASSUMPTIONS_REACH_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "core/request/invariant_memory.h"

namespace sartor::runtime {

class Registry;

/// The memory that can be reached from some pieces of invariant memory: cheap to request, and found
/// by the first thread that needs it. Thread-safe.
class Reach final : public core::InvariantMemory {
public:
  /// `roots` are the numbers of pieces, and `own` those of invariants, sorted; `number` is unique.
  Reach(Registry &registry, std::vector<std::uint64_t> roots, std::vector<std::uint64_t> own,
        std::uint64_t number)
      : registry_(registry), roots_(std::move(roots)), own_(std::move(own)), number_(number) {}

  [[nodiscard]] std::uint64_t number() const override { return number_; }
  const Result<core::Reached> &read() override;
  [[nodiscard]] bool is_read() const override { return is_read_.load(std::memory_order_acquire); }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override SARTOR_RUNS_PROGRAM;
  /// Runs `work`, which may read the memory of these invariants. Returns false, without running it,
  /// if one of them is not valid any more.
  bool while_holding(std::span<const std::uint64_t> invariants,
                     const std::function<void()> &work) SARTOR_RUNS_PROGRAM;

private:
  friend class Registry;

  Registry &registry_;
  const std::vector<std::uint64_t> roots_;
  /// The invariants of the bound objects: code depends on these, not on others that have the same
  /// memory, which may be revoked earlier.
  const std::vector<std::uint64_t> own_;
  const std::uint64_t number_;

  base::Mutex reading_;
  /// Never changes once `is_read_` is set.
  std::optional<Result<core::Reached>> outcome_;
  std::string name_;
  std::atomic<bool> is_read_ = false;

  // Used by the registry, under its lock.
  std::vector<std::uintptr_t> words_; ///< The words in it that may be pointers, sorted.
  std::vector<std::uint64_t>
      invariants_; ///< The invariants of its pieces, sorted; those of the roots before it is read.
  std::size_t size_ = 0;   ///< The approximate number of its pieces and words.
  std::uint64_t seen_ = 0; ///< Every piece shown up to this one is in it or cannot be reached.
};

} // namespace sartor::runtime

#endif
