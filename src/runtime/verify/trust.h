// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_TRUST_H
#define SARTOR_RUNTIME_VERIFY_TRUST_H

#include <atomic>
#include <cstdint>

namespace sartor::runtime {

/// The results of comparing a variant with the native code. Written by callers without a lock.
struct Trust {
  std::atomic<std::uint64_t> compared = 0; ///< Calls.
  /// Those of them in which a guard failed, so that generic code ran instead of the variant's.
  std::atomic<std::uint64_t> left = 0;
  std::atomic<std::uint64_t> ticks = 0; ///< Time stamp counter ticks that this has taken.
  std::atomic<bool> is_first = true;    ///< Its first calls are being compared.
  /// It counts something, so that calls must not be repeated, or has unguarded settings: native
  /// code may use other values.
  std::atomic<bool> is_exempt = false;
  /// It answers calls of a fast path's function without making them: it does not have their
  /// effects.
  std::atomic<bool> leaves_out_calls = false;
  /// That its calls are not compared has been reported.
  std::atomic<bool> is_reported = false;
  std::atomic<bool> differs = false; ///< Calls that begin now run the native code.
};

} // namespace sartor::runtime

#endif
