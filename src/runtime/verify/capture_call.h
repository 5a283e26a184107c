// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_CAPTURE_CALL_H
#define SARTOR_RUNTIME_VERIFY_CAPTURE_CALL_H

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "core/compiler/checked_call.h"
#include "core/difference/difference.h"
#include "core/space/module.h"
#include "runtime/dispatch/variant.h"
#include "runtime/jit/kept_request.h"

namespace sartor::runtime {

/// A call in which a variant and the native code differ, as the thread of the call captures it.
struct CapturedCall {
  /// Handler, variant, frame, memory and both sides; or the reason why they cannot be captured.
  Result<core::Difference> difference;
  std::shared_ptr<const KeptRequest> request; ///< For the variant; null if it was not kept.
};

/// The reason where memory is exhausted.
Failure out_of_memory(const std::string &variant);

/// Captures a call that has not been made yet, by calls in child processes.
CapturedCall capture_call(const core::CheckedCall &call, core::Comparison how, void *native,
                          const Variant &variant);

/// The copies of a call's input and of both codes' effects, which were compared in the process.
struct ComparedCopies {
  std::span<const std::byte> frame_before;
  const std::byte *frame_native;
  const std::byte *frame_variant;
  std::span<const core::WrittenRegion> regions;
  std::span<const std::size_t> places; ///< The places of regions' copies in the following.
  const std::byte *before;
  const std::byte *native;
  const std::byte *variant;
  std::span<const std::byte> all; ///< Memory that contains all of these and no other.
};

/// Captures a call that was compared in the process: all but memory that it only reads.
CapturedCall capture_effects(const core::CheckedCall &call, core::Comparison how,
                             const ComparedCopies &copies, const Variant &variant);
/// Adds memory outside of the copies that both codes access. `again` is the call, with pointers to
/// copies of the input in its frame. Regions of the call are as before it already.
void capture_memory(CapturedCall &captured, const core::CheckedCall &again, void *native,
                    const Variant &variant, const ComparedCopies &copies);

/// Writes a captured call to a new directory in the folder of differences, for `sartor replay`;
/// returns its path. `state` as of core::state_directory(); `module` has the handler. To be called
/// without a lock. Fails with the reason why the call could not be captured, with
/// unreadable_memory, and as core::write_difference() does.
Result<std::filesystem::path> record_difference(const CapturedCall &captured,
                                                const core::HandlerModule &module,
                                                const std::filesystem::path &state);

} // namespace sartor::runtime

#endif
