// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_CHECKED_CALL_H
#define SARTOR_CORE_COMPILER_CHECKED_CALL_H

#include <cstdint>

namespace sartor::core {

/// Memory that a call may change, and reaches through one of its parameters only.
struct WrittenRegion {
  void *begin;
  std::uint64_t bytes;
};

/// Describes a region for all calls.
struct RegionForm {
  std::uint32_t parameter; ///< The index of the pointer parameter.
  std::uint32_t offset;    ///< The offset of that pointer in the frame.
  /// The size of its floating-point numbers if it consists of those only, and their last bits may
  /// differ; otherwise 0.
  std::uint32_t inexact_floats;
};

/// Describes one call of a handler. A checking stub makes it on its stack.
struct CheckedCall {
  /// Calls `code`, of the handler's type, with the arguments in `frame`, and stores the result
  /// there. Exceptions pass.
  void (*call)(void *code, void *frame);
  /// Computes the regions for the arguments in `frame`; writes one for each form. Null if there are
  /// none. Returns false if they are not known for these arguments.
  bool (*footprint)(const void *frame, WrittenRegion *regions);
  void *frame; ///< The arguments, and room for the result. 16-byte aligned.
  const RegionForm *forms;
  /// One byte for each byte of the result: 0xff where its bits are defined, so that they can be
  /// compared. Null if all are.
  const unsigned char *result_mask;
  std::uint32_t regions; ///< The number of forms.
  std::uint32_t frame_bytes;
  std::uint32_t result_offset;
  std::uint32_t result_bytes;   ///< 0: no result.
  std::uint32_t inexact_floats; ///< As in RegionForm, of the result.
};

/// Symbols that a checking stub refers to, so that one image serves all entries of a handler.
constexpr const char *kChecker = "sartor.checker"; ///< Passed to the following.
/// A function `void(void *checker, const CheckedCall *call)` that makes the call described:
/// afterwards the result is in its frame. Exceptions of the native code pass.
constexpr const char *kCheck = "sartor.checker.check";

} // namespace sartor::core

#endif
