// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_COMPARE_BYTES_H
#define SARTOR_RUNTIME_VERIFY_COMPARE_BYTES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sartor::runtime {

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
