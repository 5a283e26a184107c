// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_VARIANT_H
#define SARTOR_RUNTIME_DISPATCH_VARIANT_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <sartor/configuration.hpp>

#include "base/readers.h"
#include "core/quarantine/quarantine_key.h"
#include "runtime/codemem/code.h"
#include "runtime/dispatch/dependency.h"
#include "runtime/dispatch/retire.h"
#include "runtime/verify/crash_marker.h"

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

/// The machine code for one handler under one configuration. Immutable. References through which
/// threads may be running it are dropped by retire() only.
struct Variant {
  /// Code for which a crash marker is written, until it is released.
  struct Covered {
    const void *begin = nullptr;
    Covered() = default;
    ~Covered() {
      if (begin)
        CrashMarker::uncover(begin);
    }
    Covered(const Covered &) = delete;
    Covered &operator=(const Covered &) = delete;
  };

  std::string name; ///< `matmul{B=16}`
  std::string handler;
  Configuration configuration;
  std::string key;  ///< Its key in the code cache.
  std::string kind; ///< Variants of one kind differ only in the invariants they depend on and in
                    ///< their tier.
  bool quick = false;
  std::chrono::nanoseconds compile_time{};
  std::unique_ptr<Code> code;
  Covered covered; ///< Of `code`.
  core::QuarantineKey quarantine_key;
  Dependency dependency; ///< On the invariants of `code`.
  std::uint64_t stamp = base::stamp();
  std::unique_ptr<Trust> trust = std::make_unique<Trust>();
};

using VariantRef = std::shared_ptr<const Variant>;

inline void retire(VariantRef variant) {
  if (const std::uint64_t stamp = variant ? variant->stamp : base::kNoStamp)
    retire(std::shared_ptr<const void>(std::move(variant)), stamp);
}

} // namespace sartor::runtime

#endif
