// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/client_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "core/compiler/device_protocol.h"
#include "remote/protocol/message.h"

namespace sartor::remote {

namespace {

std::optional<std::uint64_t> call_in_program(Channel &channel,
                                             std::span<const std::uint64_t> invariants,
                                             const core::NativeCall &call) {
  const CallOrder order{{invariants.begin(), invariants.end()}, call};
  if (!channel.send(Kind::call, to_bytes(order), always))
    return std::nullopt;
  const auto frame = channel.receive(always);
  if (!frame || !*frame || (*frame)->kind != Kind::called)
    return std::nullopt;
  return from_bytes<std::optional<std::uint64_t>>((*frame)->body).value_or(std::nullopt);
}

class SentMemory final : public core::InvariantMemory {
public:
  SentMemory(DraftOrder::Memory sent, Channel &channel) : channel_(channel) {
    auto &reached = reached_.emplace();
    for (auto &region : sent.regions)
      reached.regions.push_back({region.invariant, region.address,
                                 std::make_shared<const std::string>(std::move(region.bytes))});
    reached.objects = std::move(sent.objects);
  }

  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override {
    return call_in_program(channel_, invariants, call);
  }

private:
  Channel &channel_;
  Result<core::Reached> reached_;
  std::string name_;
};

class DeviceMemory final : public core::InvariantMemory {
public:
  DeviceMemory(const std::vector<Customization::Region> &regions, Channel &channel)
      : channel_(channel) {
    auto &reached = reached_.emplace();
    for (const auto &region : regions) {
      core::Region &known = reached.regions.emplace_back();
      known.invariant = region.invariant;
      known.address = region.address;
      if (region.bytes.empty())
        known.unread = region.size;
      else
        known.bytes = std::make_shared<const std::string>(region.bytes);
      reached.objects.push_back({known.address, known.end()});
    }
  }

  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    std::string bytes;
    while (bytes.size() < size) {
      const std::uintptr_t at = address + bytes.size();
      const auto region = std::ranges::find_if(reached_->regions, [&](const auto &each) {
        return each.address <= at && at < each.end();
      });
      const std::uintptr_t page = at / kPage * kPage;
      const std::uintptr_t from = std::max(page, region->address);
      const auto &part = part_of_page(from, std::min(page + kPage, region->end()));
      if (!part)
        return std::nullopt;
      bytes += part->substr(at - from, size - bytes.size());
    }
    return bytes;
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override {
    return call_in_program(channel_, invariants, call);
  }

private:
  static constexpr std::uintptr_t kPage = SARTOR_DEVICE_PAGE;

  /// Returns nullopt if the bytes are not available.
  const std::optional<std::string> &part_of_page(std::uintptr_t from, std::uintptr_t to) {
    const auto [known, is_new] = parts_.emplace(from, std::nullopt);
    if (is_new && channel_.send(Kind::page, to_bytes(Page{from, to - from}), always)) {
      auto frame = channel_.receive(always);
      if (frame && *frame && (*frame)->kind == Kind::paged && (*frame)->body.size() == to - from)
        known->second = std::move((*frame)->body);
    }
    return known->second;
  }

  Channel &channel_;
  Result<core::Reached> reached_;
  std::string name_;
  std::map<std::uintptr_t, std::optional<std::string>> parts_;
};

} // namespace

std::shared_ptr<core::InvariantMemory> sent_memory(DraftOrder::Memory sent, Channel &channel) {
  return std::make_shared<SentMemory>(std::move(sent), channel);
}

std::shared_ptr<core::InvariantMemory>
device_memory(const std::vector<Customization::Region> &regions, Channel &channel) {
  return std::make_shared<DeviceMemory>(regions, channel);
}

} // namespace sartor::remote
