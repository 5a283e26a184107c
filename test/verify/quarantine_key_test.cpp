// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of requests with objects: the same in all processes, and another for other content.
#include "core/quarantine/quarantine_key.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "core/request/invariant_memory.h"

namespace sartor {
namespace {

/// An object as it was read: words at an address.
struct Object {
  std::uintptr_t address = 0;
  std::vector<std::uint64_t> words;
};

class ReadMemory final : public core::InvariantMemory {
public:
  explicit ReadMemory(const std::vector<Object> &objects) {
    core::Reached reached;
    for (const Object &object : objects) {
      const std::size_t size = object.words.size() * sizeof(std::uint64_t);
      reached.objects.push_back({object.address, object.address + size});
      reached.regions.push_back({.invariant = 1,
                                 .address = object.address,
                                 .bytes = std::make_shared<std::string>(
                                     reinterpret_cast<const char *>(object.words.data()), size)});
    }
    reached_ = std::move(reached);
  }
  [[nodiscard]] std::uint64_t number() const override { return 1; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> /*invariants*/,
                                    const core::NativeCall & /*call*/) override {
    return std::nullopt;
  }

private:
  Result<core::Reached> reached_;
  std::string name_ = "memory";
};

/// A handler with a pointer and a number, which are bound.
core::QuarantineKey key_of(const std::vector<Object> &objects, std::uintptr_t pointer,
                           std::int64_t number = 3) {
  core::HandlerModule module;
  module.identity = "module";
  core::HandlerModule::Handler handler;
  handler.name = "run";
  handler.signature.emplace();
  handler.signature->parameters.resize(2);
  handler.signature->parameters[0].type.kind = PointType::Class::pointer;
  module.handlers.push_back(std::move(handler));
  core::Context context;
  context.handler = "run";
  context.arguments.emplace(0, Value(pointer));
  context.arguments.emplace(1, Value(number));
  context.memory = std::make_shared<ReadMemory>(objects);
  return quarantine_key(module, context, {}, {"skylake", "build 1"});
}

constexpr std::uintptr_t kHere = 0x7f00'0000'1000, kThere = 0x5500'0000'2000;

TEST(QuarantineKeys, OfObjectsAreThoseOfTheirContent) {
  const auto key = key_of({{kHere, {1, 2}}}, kHere);
  EXPECT_EQ(key.hash, key_of({{kThere, {1, 2}}}, kThere).hash);
  for (const auto &other :
       {key_of({{kHere, {1, 3}}}, kHere), key_of({{kHere, {1, 2, 0}}}, kHere),
        key_of({{kHere, {1, 2}}}, kHere + 8), key_of({{kHere, {1, 2}}}, kHere, 4)}) {
    EXPECT_NE(key.hash, other.hash);
    EXPECT_EQ(key.family, other.family);
  }
  EXPECT_NE(key.hash, key.family);
}

TEST(QuarantineKeys, FollowPointersBetweenObjects) {
  const auto key = key_of({{kHere, {kHere + 0x100, 7}}, {kHere + 0x100, {5, 6}}}, kHere);
  // Elsewhere, and in the other order.
  EXPECT_EQ(key.hash, key_of({{kThere, {5, 6}}, {kThere + 64, {kThere, 7}}}, kThere + 64).hash);
  EXPECT_NE(key.hash, key_of({{kThere, {5, 6}}, {kThere + 64, {kThere + 8, 7}}}, kThere + 64).hash);
  EXPECT_NE(key.hash, key_of({{kThere, {5, 6}}, {kThere + 64, {0, 7}}}, kThere + 64).hash);
  EXPECT_NE(key.hash, key_of({{kThere, {5, 6}}, {kThere + 64, {kThere, 7}}}, kThere).hash);
}

TEST(QuarantineKeys, LeaveAddressesOutsideOfTheObjectsOut) {
  const auto key = key_of({{kHere, {0x7fff'1234'5678, 7}}}, kHere);
  EXPECT_EQ(key.hash, key_of({{kHere, {0x5555'4321'0000, 7}}}, kHere).hash);
  EXPECT_NE(key.hash, key_of({{kHere, {0x5678, 7}}}, kHere).hash);
  EXPECT_NE(key.hash, key_of({{kHere, {7, 0x5555'4321'0000}}}, kHere).hash);
}

} // namespace
} // namespace sartor
