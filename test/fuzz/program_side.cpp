// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program_side.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/compiler/no_deadline.h"
#include "fuzz/conversation.h"
#include "fuzz/recorded_rules.h"
#include "remote/protocol/remote_compiler.h"

namespace sartor::remote {

namespace {

constexpr std::uint64_t kInvariant = 12;

/// The recorded rules. No function is called.
class RecordedMemory final : public core::InvariantMemory {
public:
  RecordedMemory() {
    std::string bytes(recorded_bytes, '\0');
    fill_recorded_rules(reinterpret_cast<unsigned char *>(bytes.data()), kRecordedMemory);
    core::Reached &reached = reached_.emplace();
    reached.regions.push_back(
        {kInvariant, kRecordedMemory, std::make_shared<const std::string>(std::move(bytes)), 0});
    reached.objects.push_back({kRecordedMemory, kRecordedMemory + recorded_bytes});
  }

  [[nodiscard]] std::uint64_t number() const override { return 1; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override {
    const bool are_known = std::ranges::all_of(
        invariants, [](std::uint64_t invariant) { return invariant == kInvariant; });
    if (!are_known || call.arguments.size() != call.types.size())
      std::abort();
    return 30;
  }

private:
  Result<core::Reached> reached_;
  std::string name_;
};

void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address); // NOLINT(performance-no-int-to-ptr): not used as one
}

core::Context plain_context() {
  core::Context context;
  context.handler = "sums";
  context.configuration = {{"count", 12}, {"step", any_of({1, 2})}};
  return context;
}

core::Context context_with_memory() {
  core::Context context;
  context.handler = "verdict";
  context.arguments.emplace(0, BoundArgument(static_cast<std::uint64_t>(kRecordedMemory)));
  context.memory = std::make_shared<RecordedMemory>();
  return context;
}

void ask_for_variant(core::Maker &maker, const core::Context &context,
                     const core::Purpose &purpose) {
  const core::NoDeadline deadline;
  const auto draft = maker.draft(context, context.handler, purpose, deadline);
  if (!draft)
    return;
  for (const std::uint64_t invariant : (*draft)->invariants)
    if (!context.memory || invariant != kInvariant)
      std::abort();
  for (const InvariantReport &invariant : (*draft)->fold_report.invariants)
    if (!context.memory || invariant.invariant != kInvariant)
      std::abort();
  (void)(*draft)->make(deadline);
}

} // namespace

void ask_for_everything(Connector &connector, const std::string &bitcode) {
  RemoteCompiler compiler(connector);
  (void)compiler.toolchain();
  (void)compiler.check_pipeline({"default<O2>", {}});
  (void)compiler.check_pipeline({"nosuch", {}});
  auto loaded = compiler.load_file("handlers.bc", bitcode);
  core::HandlerModule module = loaded ? std::move(*loaded) : core::HandlerModule();
  module.symbols["weight_of"] = pointer(kRecordedFunction);
  const auto maker =
      compiler.make_maker(std::make_shared<const core::HandlerModule>(std::move(module)));
  ask_for_variant(*maker, plain_context(), {core::Tier::quick, {}, false, false});
  ask_for_variant(*maker, plain_context(), {core::Tier::full, {}, true, false});
  ask_for_variant(*maker, context_with_memory(), {core::Tier::full, {}, true, false});
  const core::NoDeadline deadline;
  (void)maker->entry_function("sums", {{1, BoundArgument(std::uint64_t{3})}}, true, deadline);
  // NOLINTBEGIN(performance-no-int-to-ptr): not used as pointers
  const core::RotationSite site{-8,
                                1,
                                static_cast<const std::uint64_t *>(pointer(0x3000)),
                                pointer(0x4000),
                                reinterpret_cast<void *(*)(void *)>(0x5000),
                                reinterpret_cast<void (*)(void *, core::RotationBlock *)>(0x6000)};
  // NOLINTEND(performance-no-int-to-ptr)
  (void)maker->rotation_stub("sums", site, deadline);
  (void)maker->checking_stub("sums", deadline);
}

} // namespace sartor::remote
