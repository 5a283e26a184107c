// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_DISPATCH_VARIANT_H
#define SARTOR_DISPATCH_VARIANT_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <sartor/configuration.hpp>

#include "dispatch/leaning.h"
#include "dispatch/retire.h"
#include "engine/readers.h"
#include "place/code.h"

namespace sartor::dispatch {

/// The machine code for one handler under one configuration. Immutable. References under which
/// threads may be running it are dropped by retire() only.
struct Variant {
  std::string name; ///< `matmul{B=16}`
  std::string handler;
  Configuration configuration;
  std::string kind; ///< Variants of one kind differ in what memory they lean on, and in their tier.
  bool quick = false;
  std::chrono::nanoseconds compile_time{};
  std::unique_ptr<place::Code> code;
  Leaning leaning; ///< On the promises of `code`.
  std::uint32_t stamp = engine::stamp();
};

using VariantRef = std::shared_ptr<const Variant>;

inline void retire(VariantRef variant) {
  if (const std::uint32_t stamp = variant ? variant->stamp : engine::kNoStamp)
    retire(std::shared_ptr<const void>(std::move(variant)), stamp);
}

} // namespace sartor::dispatch

#endif
