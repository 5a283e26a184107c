// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_VARIANT_H
#define SARTOR_RUNTIME_DISPATCH_VARIANT_H

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
#include "runtime/verify/trust.h"

namespace sartor::runtime {

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
