// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/fit_request.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/space/stored_module.h"
#include "paths.h"
#include "remote/protocol/order.h"

namespace sartor::remote {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// The handlers of test/point/points.cpp.
class Requests : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    std::ifstream file(paths::points(), std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(file), {});
    inside = *core::find_compiler();
    known_module =
        std::make_shared<core::HandlerModule>(*inside->load_file(paths::points(), content));
  }
  static void TearDownTestSuite() { known_module.reset(); }

  static std::string handler(const std::string &name) {
    for (const auto &each : known_module->handlers)
      if (each.readable_name() == name)
        return each.name;
    ADD_FAILURE() << name;
    return {};
  }

  /// A request with a value in each field that the module allows.
  static DraftOrder order() {
    DraftOrder made;
    made.symbol = "kinds{generic=5}";
    made.handler = handler("kinds");
    made.configuration = {{"generic", 5}, {"range", 2}};
    made.arguments.emplace(2, BoundArgument(1));
    made.instrumented["range"] = 64;
    made.profile = DraftCounters{3, -128};
    made.memory = DraftOrder::Memory{
        {{0, 4096, "some bytes"}, {1, 8192, "more"}}, {{4096, 8200}}, {{"f", 7}}};
    return made;
  }
  static DraftOrder fast_path() {
    DraftOrder made;
    made.symbol = "helper{by_helper=3}";
    made.handler = handler("helper");
    made.configuration = {{"by_helper", 3}};
    made.answers["by_helper"] = {{{{4096, 1}, 11}, {{4096, 2}, 12}, {{4096, 3}, 13}}, 0, {0}};
    return made;
  }
  static DraftOrder with_hole() {
    DraftOrder made;
    made.symbol = "kinds{generic=?}";
    made.handler = handler("kinds");
    made.configuration = {{"generic", 0}};
    made.holes = {"generic"};
    return made;
  }

  template <class Order> static Failure failure_of(Order order) {
    const auto fitted = fit_request(std::move(order), *known_module);
    EXPECT_FALSE(fitted);
    return fitted ? Failure{} : fitted.error();
  }

  static inline core::InProcessCompiler *inside = nullptr;
  static inline std::shared_ptr<core::HandlerModule> known_module;
};

TEST_F(Requests, ThatFitStayAsTheyAre) {
  for (const DraftOrder &each : {order(), fast_path(), with_hole()}) {
    const auto fitted = fit_request(each, *known_module);
    ASSERT_TRUE(fitted) << fitted.error().text();
    EXPECT_EQ(to_bytes(*fitted), to_bytes(each));
  }
  EXPECT_TRUE(
      fit_request(EntryOrder{handler("kinds"), {{0, BoundArgument(3)}}, true}, *known_module));
  EXPECT_TRUE(fit_request(RotationOrder{handler("kinds"), -64, 3, 8, 8, 8, 8}, *known_module));
  EXPECT_TRUE(fit_request(StubOrder{handler("kinds")}, *known_module));
}

TEST_F(Requests, NameAHandlerThatHasVariants) {
  auto other = order();
  other.handler = "nowhere";
  EXPECT_EQ(failure_of(StubOrder{"nowhere"}).code, ErrorCode::unknown_handler);
  EXPECT_EQ(failure_of(other).code, ErrorCode::unknown_handler);
  known_module->handlers.push_back({"native", "native", {}, "it is kept native"});
  other.handler = "native";
  other.arguments.clear();
  EXPECT_THAT(failure_of(other).message, HasSubstr("has no variants"));
  known_module->handlers.pop_back();
}

TEST_F(Requests, BindParametersThatThereAre) {
  for (const unsigned index : {3U, 18U, 1000U, 0xffffffffU}) {
    auto other = order();
    other.arguments.emplace(index, BoundArgument(1));
    EXPECT_EQ(failure_of(other).code, ErrorCode::bad_binding) << index;
    EXPECT_EQ(failure_of(EntryOrder{handler("kinds"), {{index, BoundArgument(1)}}, false}).code,
              ErrorCode::bad_binding);
    Customization device{handler("kinds"), {}, {{index, Value(1)}}, false, {}, {}};
    EXPECT_EQ(failure_of(device).code, ErrorCode::bad_binding);
  }
}

TEST_F(Requests, BindValuesOfTheParametersType) {
  const std::string bytes(3, 'x');
  for (const BoundArgument &argument :
       {BoundArgument(0.5), BoundArgument(std::int64_t{1} << 40), BoundArgument("a name"),
        BoundArgument::object(bytes.data(), bytes.size()), BoundArgument::object(nullptr, 0)}) {
    auto other = order();
    other.arguments.clear();
    other.arguments.emplace(0, argument);
    EXPECT_EQ(failure_of(other).code, ErrorCode::bad_binding);
  }
  // A pointer's name is never looked up.
  EntryOrder named{handler("helper"), {{0, BoundArgument("table")}}, false};
  EXPECT_EQ(failure_of(named).subject, "argument 0");
}

TEST_F(Requests, SetPointsToWhatTheyCanBe) {
  const auto with = [](const char *label, const Setting &setting) {
    auto other = order();
    other.configuration.set(label, setting);
    return other;
  };
  EXPECT_EQ(failure_of(with("nowhere", Setting({Value(1)}))).code, ErrorCode::unknown_label);
  EXPECT_EQ(failure_of(with("range", Setting({Value(9)}))).code, ErrorCode::value_outside_choices);
  EXPECT_EQ(failure_of(with("generic", Setting({Value("x")}))).code, ErrorCode::bad_value_type);
  EXPECT_TRUE(fit_request(with("ptr", Setting({Value("table_a")})), *known_module));
  for (const char *name :
       {"llvm.memcpy.p0.p0.i64", "llvm.used", "sartor.hole.x", ".incbin", "", "a\nb"})
    EXPECT_EQ(failure_of(with("ptr", Setting({Value(name)}))).subject, "ptr") << name;
}

TEST_F(Requests, MakeHolesOfOperandsThatAreSet) {
  auto other = with_hole();
  other.holes = {"nowhere"};
  EXPECT_EQ(failure_of(other).code, ErrorCode::unknown_label);
  other.holes = {"assumed"};
  EXPECT_EQ(failure_of(other).subject, "hole assumed");
  other.holes = {"ptr"};
  EXPECT_EQ(failure_of(other).subject, "hole ptr");
  other = with_hole();
  other.configuration = {};
  EXPECT_EQ(failure_of(other).subject, "hole generic");
  other = with_hole();
  other.configuration.set("generic", Setting({Value(0), Value(1)}));
  EXPECT_EQ(failure_of(other).subject, "hole generic");
  other = with_hole();
  other.holes = {"generic", "generic"};
  EXPECT_EQ(failure_of(other).subject, "the holes");
}

TEST_F(Requests, AnswerForFastPaths) {
  auto other = fast_path();
  other.answers["nowhere"] = {};
  EXPECT_EQ(failure_of(other).code, ErrorCode::unknown_label);
  other = fast_path();
  other.answers["generic"] = {};
  EXPECT_EQ(failure_of(other).subject, "answers of generic");
  other = fast_path();
  other.generated["by_helper"] = {"", "specialized", {}};
  EXPECT_EQ(failure_of(other).subject, "generated code of by_helper");
  for (const std::vector<std::uint64_t> &inputs :
       {std::vector<std::uint64_t>{}, {1}, {1, 2, 3}, {1, 1ULL << 32}}) {
    other = fast_path();
    other.answers["by_helper"].list[1].inputs = inputs;
    EXPECT_EQ(failure_of(other).subject, "answers of by_helper");
  }
  other = fast_path();
  other.answers["by_helper"].list[0].result = kEnd;
  EXPECT_EQ(failure_of(other).subject, "answers of by_helper");
  other = fast_path();
  other.answers["by_helper"].invariants = {1};
  EXPECT_EQ(failure_of(other).subject, "answers of by_helper");
}

TEST_F(Requests, InstrumentPointsThatAreCountedSomewhere) {
  auto other = order();
  other.instrumented["nowhere"] = 1;
  EXPECT_EQ(failure_of(other).code, ErrorCode::unknown_label);
  other = order();
  other.instrumented["range"] = 0;
  EXPECT_EQ(failure_of(other).subject, "instrumentation of range");
  other = order();
  other.profile.reset();
  EXPECT_EQ(failure_of(other).subject, "instrumentation");
  for (const DraftCounters counters :
       {DraftCounters{256, 0}, {0xffffffff, 0}, {0, std::int64_t{1} << 50}, {0, INT64_MIN}}) {
    other = order();
    other.profile = counters;
    EXPECT_EQ(failure_of(other).subject, "a table of blocks");
    EXPECT_EQ(failure_of(RotationOrder{handler("kinds"), counters.table, counters.slot, 8, 8, 8, 8})
                  .subject,
              "a table of blocks");
  }
  EXPECT_EQ(failure_of(RotationOrder{handler("kinds"), 0, 0, 8, 8, 0, 8}).subject, "a rotation");
}

TEST_F(Requests, BringMemoryThatIsSortedAndDisjoint) {
  const auto with = [](DraftOrder::Memory memory) {
    auto other = order();
    other.memory = std::move(memory);
    return other;
  };
  for (const DraftOrder::Memory &memory :
       {DraftOrder::Memory{{{0, 8192, "x"}, {1, 4096, "x"}}, {}, {}},
        DraftOrder::Memory{{{0, 4096, "xyz"}, {1, 4098, "x"}}, {}, {}},
        DraftOrder::Memory{{{0, kEnd, "xyz"}}, {}, {}},
        DraftOrder::Memory{{{1, 4096, "x"}}, {}, {}}})
    EXPECT_EQ(failure_of(with(memory)).subject, "invariant memory");
  for (const DraftOrder::Memory &memory :
       {DraftOrder::Memory{{}, {{10, 20}, {5, 6}}, {}}, DraftOrder::Memory{{}, {{20, 10}}, {}}})
    EXPECT_EQ(failure_of(with(memory)).subject, "invariant objects");
  EXPECT_EQ(failure_of(with({{}, {}, {{"a\nname", 1}}})).subject, "a symbol");
  using Region = Customization::Region;
  std::vector<Region> many;
  for (std::uint64_t i = 0; i < 1025; ++i)
    many.push_back({0, 64 * i, 1, ""});
  for (const std::vector<Region> &regions :
       {std::vector<Region>{{0, 4096, 64, ""}, {1, 4100, 64, ""}},
        {{0, 4096, kEnd, ""}},
        {{0, kEnd - 3, 64, ""}},
        {{1024, 4096, 64, ""}},
        many})
    EXPECT_EQ(failure_of(Customization{handler("kinds"), {}, {}, false, regions, {}}).subject,
              "invariant memory");
}

TEST_F(Requests, HaveNamesAndPipelinesOfBoundedLength) {
  auto other = order();
  other.symbol.clear();
  EXPECT_EQ(failure_of(other).subject, "the variant's name");
  other.symbol.assign(1U << 20, 'x');
  EXPECT_EQ(failure_of(other).subject, "the variant's name");
  other.symbol = "a\nb\x1b[2J";
  EXPECT_EQ(fit_request(other, *known_module)->symbol, "a?b?[2J");
  other = order();
  other.purpose.pipeline.passes.assign(1U << 20, 'x');
  EXPECT_EQ(failure_of(other).code, ErrorCode::bad_pipeline);
  EXPECT_FALSE(check_request(Pipeline{"", std::vector<std::filesystem::path>(100, "/a.so")}));
  EXPECT_FALSE(check_request(ModuleFile{"a\nb", ""}));
  EXPECT_FALSE(check_request(Hello{1, "", "", std::vector<std::string>(1000, "x86-64")}));
  EXPECT_FALSE(check_request(DeviceHello{1, std::string(10'000, 'x')}));
}

/// Mutated requests as they would arrive from the network: each is read, fitted, and compiled if it
/// fits.
class Mutated : public Requests {
protected:
  std::string mutate(std::string bytes) {
    for (auto count = pick(3) + 1; count > 0 && !bytes.empty(); --count) {
      const std::size_t at = pick(bytes.size());
      switch (pick(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random_());
        break;
      case 2:
        bytes.erase(at, pick(9) + 1);
        break;
      case 3:
        bytes.insert(at, bytes.substr(pick(bytes.size()), pick(16)));
        break;
      default: {
        const std::uint64_t word =
            std::array<std::uint64_t, 5>{0, 1, 0xffffffff, std::uint64_t{1} << 63, kEnd}[pick(5)];
        bytes.replace(at, sizeof word, reinterpret_cast<const char *>(&word), sizeof word);
      }
      }
    }
    return bytes;
  }

  template <class Order> std::optional<Order> fitted(const std::string &bytes) {
    auto order = from_bytes<Order>(bytes);
    if (!order)
      return std::nullopt;
    auto fit = fit_request(std::move(*order), *known_module);
    return fit ? std::optional(std::move(*fit)) : std::nullopt;
  }

  std::size_t pick(std::size_t count) { return random_() % count; }

  std::mt19937_64 random_{7}; // NOLINT(*-random-generator-seed): can be repeated
};

/// Invariant memory whose calls fail.
class NoMemory final : public core::InvariantMemory {
public:
  explicit NoMemory(const DraftOrder::Memory &sent) {
    auto &reached = reached_.emplace();
    for (const auto &region : sent.regions)
      reached.regions.push_back(
          {region.invariant, region.address, std::make_shared<const std::string>(region.bytes)});
    reached.objects = sent.objects;
  }
  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t>,
                                    const core::NativeCall &) override {
    return std::nullopt;
  }

private:
  Result<core::Reached> reached_;
  std::string name_;
};

TEST_F(Mutated, OrdersEndNoCompiler) {
  const auto maker = inside->make_maker(known_module);
  const std::array drafts{to_bytes(order()), to_bytes(fast_path()), to_bytes(with_hole())};
  const std::string entry =
      to_bytes(EntryOrder{handler("kinds"), {{0, BoundArgument(3)}, {2, BoundArgument(1)}}, true});
  const std::string rotation = to_bytes(RotationOrder{handler("kinds"), -64, 3, 8, 8, 8, 8});
  const core::NoDeadline forever;
  unsigned made = 0;
  for (int i = 0; i < 6000; ++i) {
    if (auto draft = fitted<DraftOrder>(mutate(drafts.at(pick(drafts.size()))))) {
      auto memory = draft->memory ? std::make_shared<NoMemory>(*draft->memory) : nullptr;
      const std::string symbol = draft->symbol;
      auto begun =
          maker->draft(to_context(std::move(*draft), memory, *known_module), symbol, {}, forever);
      if (begun && i % 8 == 0)
        made += (*begun)->make(forever).has_value() ? 1 : 0;
    }
    if (i % 16 != 0)
      continue;
    if (const auto order = fitted<EntryOrder>(mutate(entry)))
      (void)maker->entry_function(order->handler, order->arguments, order->inlined, forever);
    if (const auto order = fitted<RotationOrder>(mutate(rotation)))
      (void)maker->rotation_stub(
          order->handler, {order->table, order->slot, nullptr, nullptr, nullptr, nullptr}, forever);
  }
  EXPECT_GT(made, 0U);
}

// The maker itself does not trust its input.
TEST_F(Requests, ArgumentsThatTheHandlerLacksAreLeftOutByTheMaker) {
  const auto maker = inside->make_maker(known_module);
  const core::NoDeadline forever;
  for (const unsigned index : {3U, 1000U, 0xffffffffU})
    EXPECT_TRUE(
        maker->entry_function(handler("kinds"), {{index, BoundArgument(1)}}, false, forever));
  for (const BoundArgument &argument :
       {BoundArgument("a name"), BoundArgument(0.5), BoundArgument::object(nullptr, 0)})
    EXPECT_TRUE(maker->entry_function(handler("kinds"), {{0, argument}}, false, forever));
}

TEST_F(Requests, AreAboutModulesThatSayWhatIsInTheirBitcode) {
  EXPECT_TRUE(inside->check_module(*known_module));
  const auto unpacked = core::unpack_module(core::pack_module(*known_module));
  EXPECT_TRUE(inside->check_module(*unpacked));
  auto other = *known_module;
  other.bitcode.resize(other.bitcode.size() / 2);
  EXPECT_EQ(inside->check_module(other).error().code, ErrorCode::bad_bitcode);
  other = *known_module;
  other.handlers.front().name = "another";
  EXPECT_EQ(inside->check_module(other).error().subject, "another");
  other = *known_module;
  for (auto &each : other.handlers)
    if (each.name == handler("kinds"))
      each.signature->parameters.pop_back();
  EXPECT_EQ(inside->check_module(other).error().subject, handler("kinds"));
  auto points = known_module->space.points();
  std::erase_if(points, [](const Point &point) { return point.label == "generic"; });
  other = *known_module;
  other.space = Space(points);
  EXPECT_EQ(inside->check_module(other).error().subject, "generic");
  points = known_module->space.points();
  for (Point &point : points)
    if (point.label == "by_helper")
      point.arguments.clear();
  other.space = Space(points);
  EXPECT_EQ(inside->check_module(other).error().subject, "by_helper");
}

} // namespace
} // namespace sartor::remote
