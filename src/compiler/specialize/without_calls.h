// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_WITHOUT_CALLS_H
#define SARTOR_COMPILER_SPECIALIZE_WITHOUT_CALLS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// Invariant memory that makes no calls: a call depends on all invariants, including those that
/// only a later stage reaches.
class WithoutCalls final : public core::InvariantMemory {
public:
  explicit WithoutCalls(core::InvariantMemory &memory) : memory_(memory) {}

  [[nodiscard]] std::uint64_t number() const override { return memory_.number(); }
  const Result<core::Reached> &read() override { return memory_.read(); }
  [[nodiscard]] bool is_read() const override { return memory_.is_read(); }
  [[nodiscard]] const std::string &name() const override { return memory_.name(); }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    return memory_.fetch(address, size);
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t>,
                                    const core::NativeCall &) override {
    return std::nullopt;
  }

private:
  core::InvariantMemory &memory_;
};

} // namespace sartor::compiler

#endif
