// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/replay.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "remote/protocol/order.h"

namespace sartor::remote {

namespace {

/// The recorded content of invariant memory, and the recorded results of calls.
class RecordedMemory final : public core::InvariantMemory {
public:
  RecordedMemory(const RecordedRequest &request, const DraftOrder::Memory &memory)
      : calls_(request.calls) {
    auto &reached = reached_.emplace();
    for (const auto &region : memory.regions)
      reached.regions.push_back({request.invariants.at(region.invariant).number, region.address,
                                 std::make_shared<const std::string>(region.bytes)});
    reached.objects = memory.objects;
  }

  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> /*promises*/,
                                    const core::NativeCall &call) override {
    const auto known = std::ranges::find_if(calls_, [&](const RecordedRequest::Call &each) {
      return each.call.address == call.address && each.call.arguments == call.arguments;
    });
    return known == calls_.end() ? std::nullopt : known->result;
  }

private:
  std::vector<RecordedRequest::Call> calls_;
  Result<core::Reached> reached_;
  std::string name_;
};

} // namespace

Result<core::Context> to_context(const RecordedRequest &request, core::HandlerModule &module) {
  if (request.identity != module.identity)
    return std::unexpected(
        Failure{ErrorCode::file_error, "the request for " + request.order.handler,
                "was recorded of another program, or of another build of this one",
                "give the program as it was when the request was recorded"});
  DraftOrder order = request.order;
  std::shared_ptr<core::InvariantMemory> memory;
  if (order.memory) {
    take_addresses(module, *order.memory);
    memory = std::make_shared<RecordedMemory>(request, *order.memory);
  }
  for (auto &[label, answers] : order.answers)
    for (std::uint64_t &invariant : answers.invariants)
      invariant = request.invariants[invariant].number;
  for (auto &[label, code] : order.generated)
    for (std::uint64_t &invariant : code.invariants)
      invariant = request.invariants[invariant].number;
  return to_context(std::move(order), std::move(memory), module);
}

} // namespace sartor::remote
