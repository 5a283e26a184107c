// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/bytes.h"
#include "fuzz/message_input.h"
#include "remote/protocol/admin_message.h"
#include "remote/protocol/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

namespace sartor::remote {
namespace {

DraftOrder full_order() {
  DraftOrder order;
  order.symbol = "f{a=1}";
  order.handler = "f";
  order.configuration.set("a", any_of({1, 2.5, "table", ~0ULL}));
  order.configuration.set("b", unguarded(Setting(-3)));
  const int object = 5;
  order.arguments.emplace(0, BoundArgument(7));
  order.arguments.emplace(2, BoundArgument::object(&object, sizeof object));
  order.memory = DraftOrder::Memory{
      {{3, 1000, "bytes"}, {4, 1005, ""}}, {{900, 1000}, {1000, 1005}}, {{"f", 7}}};
  order.answers["p"] = {{{{1, 2}, 3}}, 4, {5}};
  order.generated["c"] = {"define void @g() {\n  ret void\n}\n", "g", {3, 5}};
  order.instrumented["q"] = 64;
  order.profile = DraftCounters{3, -128};
  order.purpose = {core::Tier::quick, {"default<O1>", {"/a/plugin.so"}}, true};
  return order;
}

/// True if the enumeration has a name for the value: compilers print (Type)number for others.
template <auto value> constexpr bool has_name() {
  const std::string_view name = __PRETTY_FUNCTION__;
  return !name.contains("value = (");
}

/// Each value is read as it was written; kLast is the last value, and larger ones are refused.
template <class T, T first = T{}> void expect_all_values() {
  for (auto value = std::to_underlying(first); value <= std::to_underlying(T::kLast); ++value) {
    bytes::Writer writer;
    writer.choice(static_cast<T>(value), first);
    const std::string written = writer.take();
    bytes::Reader reader(written);
    T read{};
    reader.choice(read, first);
    EXPECT_TRUE(reader.is_at_end()) << __PRETTY_FUNCTION__ << +value;
    EXPECT_EQ(std::to_underlying(read), value) << __PRETTY_FUNCTION__;
  }
  constexpr auto beyond = static_cast<T>(std::to_underlying(T::kLast) + 1);
  static_assert(has_name<T::kLast>() && !has_name<beyond>());
  bytes::Writer writer;
  writer.choice(beyond, first);
  const std::string written = writer.take();
  bytes::Reader reader(written);
  T read{};
  reader.choice(read, first);
  EXPECT_FALSE(reader.is_at_end()) << __PRETTY_FUNCTION__;
}

TEST(Message, EveryValueOfAnEnumerationIsReadAsItWasWritten) {
  expect_all_values<ErrorCode, ErrorCode::unknown_label>();
  expect_all_values<PointKind, PointKind::enumeration>();
  expect_all_values<PointType::Class>();
  expect_all_values<core::Parameter::Kind>();
  expect_all_values<core::Parameter::Passing>();
  expect_all_values<core::Architecture>();
  expect_all_values<core::FillKind>();
  expect_all_values<Followed>();
  expect_all_values<RemarkCode>();
  expect_all_values<core::Tier>();
  expect_all_values<core::NativeCall::Type>();
  expect_all_values<Kind>();
  expect_all_values<AdminRequest::Action>();
}

TEST(Message, AFailureHasItsCode) {
  for (int code = 1; code <= static_cast<int>(ErrorCode::kLast); ++code) {
    const Failure failure{static_cast<ErrorCode>(code), "subject", "message", "remedy"};
    EXPECT_EQ(from_bytes<Failure>(to_bytes(failure)), failure);
  }
}

TEST(Message, ADraftIsOrderedAsItWasMeant) {
  const DraftOrder order = full_order();
  const auto read = from_bytes<DraftOrder>(to_bytes(order));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->symbol, order.symbol);
  EXPECT_EQ(read->handler, order.handler);
  EXPECT_EQ(read->configuration, order.configuration);
  EXPECT_EQ(read->arguments, order.arguments);
  EXPECT_EQ(read->instrumented, order.instrumented);
  EXPECT_EQ(read->purpose.pipeline, order.purpose.pipeline);
  ASSERT_TRUE(read->memory && read->profile);
  EXPECT_EQ(read->memory->regions[0].bytes, "bytes");
  EXPECT_EQ(read->memory->objects[1].end, 1005U);
  EXPECT_EQ(read->answers.at("p").list[0].inputs, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(read->generated.at("c").ir, order.generated.at("c").ir);
  EXPECT_EQ(read->generated.at("c").function, "g");
  EXPECT_EQ(read->generated.at("c").invariants, (std::vector<std::uint64_t>{3, 5}));
  EXPECT_EQ(read->profile->table, -128);
  EXPECT_EQ(to_bytes(*read), to_bytes(order));
}

TEST(Message, ASkimmedDraftShowsWhatIsThere) {
  const DraftOrder order = full_order();
  const auto seen = skim<DraftOrder>(to_bytes(order));
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->profile && seen->memory);
  EXPECT_EQ(seen->at_once, order.at_once);
  EXPECT_EQ(seen->purpose.wants_key, order.purpose.wants_key);
  EXPECT_FALSE(seen->purpose.pipeline.plugins.empty());
  EXPECT_FALSE(skim<DraftOrder>(to_bytes(order) + '\0'));
  DraftOrder other = order;
  other.purpose.pipeline.plugins.clear();
  other.profile.reset();
  other.symbol = std::string(100'000, 's');
  for (int i = 0; i < 1000; ++i)
    other.memory->symbols.emplace(std::string(300, 'n') + std::to_string(i), i);
  const auto rest = skim<DraftOrder>(to_bytes(other));
  ASSERT_TRUE(rest);
  EXPECT_FALSE(rest->profile);
  EXPECT_TRUE(rest->purpose.pipeline.plugins.empty());
  EXPECT_LT(rest->symbol.size(), 1000U);
  EXPECT_EQ(rest->memory->symbols.size(), 1U);
}

TEST(Message, AnythingElseIsNone) {
  const std::string bytes = to_bytes(full_order());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(from_bytes<DraftOrder>(bytes.substr(0, length))) << length;
  EXPECT_FALSE(from_bytes<DraftOrder>(bytes + '\0'));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0xff);
    (void)from_bytes<DraftOrder>(other); // reads nothing beyond the end
  }
}

TEST(Message, EachKindIsReadAsItWasWrittenAndNothingShorter) {
  for (const std::string &message : some_messages()) {
    EXPECT_TRUE(look_at_message(message)) << static_cast<int>(message.front());
    for (std::size_t size = 1; size < message.size(); ++size)
      EXPECT_FALSE(look_at_message(std::string_view(message).substr(0, size)))
          << static_cast<int>(message.front()) << " " << size;
  }
}

TEST(Message, MemoryThatOverlapsIsRefused) {
  DraftOrder order = full_order();
  order.memory->regions[1].address = 1004;
  EXPECT_FALSE(from_bytes<DraftOrder>(to_bytes(order)));
  order = full_order();
  order.memory->objects[0].end = 1001;
  EXPECT_FALSE(from_bytes<DraftOrder>(to_bytes(order)));
  order = full_order();
  order.memory->regions[0].address = ~0ULL;
  EXPECT_FALSE(from_bytes<DraftOrder>(to_bytes(order)));
}

TEST(Message, AnotherProtocolsGreetingIsReadAsFarAsThat) {
  const auto hello = from_bytes<Hello>(std::string("\x63\0\0\0", 4));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->protocol, 99U);
}

TEST(Message, ACallHasAnArgumentForEachType) {
  CallOrder order{{1},
                  {0x1000, core::NativeCall::Type::f64, {core::NativeCall::Type::pointer}, {8}}};
  EXPECT_TRUE(from_bytes<CallOrder>(to_bytes(order)));
  order.call.arguments.push_back(9);
  EXPECT_FALSE(from_bytes<CallOrder>(to_bytes(order)));
}

} // namespace
} // namespace sartor::remote
