// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_COMPARISON_MEMORY_H
#define SARTOR_RUNTIME_VERIFY_COMPARISON_MEMORY_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sartor::runtime {

/// Copies of a call's input and of both codes' effects, for one comparison in the process. A call
/// that needs more is not compared.
struct ComparisonMemory {
  static constexpr std::size_t kMostFrameBytes = 4096;
  static constexpr std::size_t kMostRegionBytes = 1U << 20;
  static constexpr std::size_t kMostRegions = 16;
  /// Code may rely on alignments up to this.
  static constexpr std::size_t kAlignment = 4096;
  static constexpr std::size_t kMostCopiedBytes = kMostRegionBytes + 2 * kMostRegions * kAlignment;

  alignas(16) std::array<std::byte, kMostFrameBytes> frame_before;
  alignas(16) std::array<std::byte, kMostFrameBytes> frame_native;
  alignas(16) std::array<std::byte, kMostFrameBytes> frame_variant;
  /// The places of regions' copies in the following. A copy is aligned as its region.
  std::array<std::size_t, kMostRegions> places;
  alignas(kAlignment) std::array<std::byte, kMostCopiedBytes> before;
  alignas(kAlignment) std::array<std::byte, kMostCopiedBytes> native;
  alignas(kAlignment) std::array<std::byte, kMostCopiedBytes> variant;
};

/// The memory for the comparisons of a runtime, some of which may run at a time: on several
/// threads, or within each other. Pages are mapped when they are first needed. Thread-safe;
/// acquire() takes no lock.
class ComparisonMemories {
public:
  ComparisonMemories() = default;
  ~ComparisonMemories();
  ComparisonMemories(const ComparisonMemories &) = delete;
  ComparisonMemories &operator=(const ComparisonMemories &) = delete;

  /// Null if all are in use, or memory is exhausted.
  [[nodiscard]] ComparisonMemory *acquire();
  /// Takes a result of acquire().
  void release(const ComparisonMemory *memory);
  /// In a child process, where the threads that use them do not exist.
  void reset_in_child();

private:
  struct Slot {
    std::atomic<bool> is_used = false;
    /// Written once, by the first thread that uses the slot; release() reads those of all slots.
    std::atomic<ComparisonMemory *> memory = nullptr;
  };
  std::array<Slot, 4> slots_;
};

/// How two results, or two states of the same memory, are compared.
struct ByteForm {
  const unsigned char *mask = nullptr; ///< The bits that count, a byte for each; null: all.
  /// The size of the floating-point numbers that they consist of, if `tolerance` is allowed; or 0.
  std::uint32_t inexact_floats = 0;
  double tolerance = 0; ///< Largest relative difference.
};

/// Returns the offset of the first difference, or nullopt.
/// Async-signal-safe.
std::optional<std::size_t> first_difference(std::span<const std::byte> one,
                                            std::span<const std::byte> other, ByteForm form);

/// Copies memory that other threads may write.
void copy_racy(std::byte *to, const void *from, std::size_t bytes);

} // namespace sartor::runtime

#endif
