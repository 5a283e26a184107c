// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/mutants/stale_memory.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include <llvm/ADT/StringExtras.h>

namespace sartor::compiler {

namespace {

constexpr std::size_t kWord = 4;

// True if the 8 bytes around a word look like an address of the program.
bool may_be_pointer(const core::Region &region, std::size_t offset) {
  const std::size_t begin = offset - (region.address + offset) % sizeof(std::uint64_t);
  if (begin > offset || region.bytes->size() - begin < sizeof(std::uint64_t))
    return false;
  std::uint64_t value = 0;
  std::memcpy(&value, region.bytes->data() + begin, sizeof value);
  return value >= 1ULL << 40U && value < 1ULL << 47U;
}

class StaleMemory final : public core::InvariantMemory {
public:
  StaleMemory(std::shared_ptr<core::InvariantMemory> of, core::Reached reached)
      : of_(std::move(of)), reached_(std::move(reached)) {}

  [[nodiscard]] std::uint64_t number() const override { return of_->number(); }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return of_->name(); }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    return of_->fetch(address, size);
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override {
    return of_->call(invariants, call);
  }

private:
  std::shared_ptr<core::InvariantMemory> of_;
  Result<core::Reached> reached_;
};

} // namespace

void make_memory_stale(core::Context &context, const Mutant &mutant) {
  if (!context.memory || !context.memory->read()) {
    report_mutant(mutant, "no place in " + context.handler + ", which has no invariant memory");
    return;
  }
  core::Reached reached = *context.memory->read();
  std::uint64_t left = mutant.place;
  for (core::Region &region : reached.regions)
    for (std::size_t at = (kWord - region.address % kWord) % kWord;
         region.bytes && at + kWord <= region.bytes->size(); at += kWord) {
      if (may_be_pointer(region, at) || left-- > 0)
        continue;
      std::string changed = *region.bytes;
      ++changed[at];
      region.bytes = std::make_shared<const std::string>(std::move(changed));
      report_mutant(mutant, "changed the memory of " + context.handler + " at 0x" +
                                llvm::utohexstr(region.address + at, /*LowerCase=*/true));
      context.memory = std::make_shared<StaleMemory>(context.memory, std::move(reached));
      return;
    }
  report_mutant(mutant, "no place in the invariant memory of " + context.handler);
}

} // namespace sartor::compiler
