// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paths.h"
#include "runtime/jit/opening.h"

namespace sartor::core {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

/// The points of points.cpp, read from its compiled file.
class PointsOfAModule : public testing::Test {
protected:
  void SetUp() override {
    auto loaded = runtime::open_file(paths::points(), {}, {{}, {}, {}});
    ASSERT_TRUE(loaded) << loaded.error().text();
    module_ = std::move(*loaded);
  }

  const Point &point(const char *label) {
    const Point *found = module_.space.find(label);
    static const Point nothing;
    EXPECT_NE(found, nullptr) << label;
    return found ? *found : nothing;
  }

  HandlerModule module_;
};

TEST_F(PointsOfAModule, HaveTheTypesOfTheirValues) {
  EXPECT_EQ(point("i8").type.text(), "i8");
  EXPECT_EQ(point("u8").type.text(), "u8");
  EXPECT_EQ(point("i16").type.text(), "i16");
  EXPECT_EQ(point("u16").type.text(), "u16");
  EXPECT_EQ(point("i32").type.text(), "i32");
  EXPECT_EQ(point("u32").type.text(), "u32");
  EXPECT_EQ(point("i64").type.text(), "i64");
  EXPECT_EQ(point("u64").type.text(), "u64");
  EXPECT_EQ(point("bool").type.text(), "bool");
  EXPECT_EQ(point("color").type.text(), "u32");
  EXPECT_EQ(point("mood").type.text(), "i32");
  EXPECT_EQ(point("f32").type.text(), "f32");
  EXPECT_EQ(point("f64").type.text(), "f64");
  EXPECT_EQ(point("ptr").type.text(), "ptr");
}

TEST_F(PointsOfAModule, HaveTheirChoicesAsWritten) {
  EXPECT_THAT(point("i8").choices, ElementsAre(Value(-128), Value(0), Value(127)));
  EXPECT_THAT(point("u8").choices, ElementsAre(Value(0), Value(255)));
  EXPECT_THAT(point("u64").choices, ElementsAre(Value(1), Value(0xffffffffffffffff)));
  EXPECT_THAT(point("i64").choices, ElementsAre(Value(INT64_MIN), Value(INT64_MAX)));
  EXPECT_THAT(point("bool").choices, ElementsAre(Value(0), Value(1)));
  EXPECT_THAT(point("color").choices, ElementsAre(Value(0), Value(7)));
  EXPECT_THAT(point("mood").choices, ElementsAre(Value(-1), Value(1)));
  EXPECT_THAT(point("row").choices, ElementsAre(Value("table_b"), Value("table_b+32"), Value(0)));
  EXPECT_THAT(point("f32").choices, ElementsAre(Value(static_cast<double>(0.1F)), Value(2.0)));
  EXPECT_THAT(point("f64").choices, ElementsAre(Value(0.1), Value(-0.5)));
}

TEST_F(PointsOfAModule, HaveTheKindsOfTheirMacros) {
  EXPECT_EQ(point("u8").kind, PointKind::enumeration);
  EXPECT_EQ(point("range").kind, PointKind::range);
  EXPECT_EQ(point("generic").kind, PointKind::generic);
  EXPECT_EQ(point("assumed").kind, PointKind::assume);
  EXPECT_EQ(point("assumed").type.text(), "bool");
}

TEST_F(PointsOfAModule, ReportWhereTheyStand) {
  const auto &sites = point("generic").sites;
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].function, "kinds(int, int, bool)");
  EXPECT_THAT(sites[0].file, EndsWith("points.cpp"));
  std::ifstream source(sites[0].file);
  std::string line;
  for (unsigned i = 0; i < sites[0].line; ++i)
    std::getline(source, line);
  EXPECT_THAT(line, testing::HasSubstr("sartor_generic(\"generic\""));
}

TEST_F(PointsOfAModule, ReportWhichHandlersReachThem) {
  EXPECT_THAT(point("deep").handlers, ElementsAre("_Z3onei", "_Z3twoi"));
  EXPECT_THAT(point("generic").handlers, ElementsAre("_Z5kindsiib"));
}

TEST_F(PointsOfAModule, ThatShareALabelAreOneWithSeveralSites) {
  EXPECT_EQ(point("shared").sites.size(), 2U);
  EXPECT_THAT(point("shared").handlers, ElementsAre("_Z3onei", "_Z3twoi"));
}

TEST_F(PointsOfAModule, SayWhyTheyStayGeneric) {
  ASSERT_EQ(point("after_setjmp").sites.size(), 1U);
  EXPECT_THAT(point("after_setjmp").sites[0].problem, testing::HasSubstr("setjmp"));
  EXPECT_THAT(point("wide").sites[0].problem, testing::HasSubstr("wider than 64 bits"));
  EXPECT_EQ(point("generic").sites[0].problem, "");
}

TEST_F(PointsOfAModule, OfFunctionsThatWriteNothingButTheirOwnVariablesAreFastPaths) {
  for (const char *label : {"by_helper", "by_constructor"}) {
    EXPECT_EQ(point(label).sites[0].problem, "") << label;
    EXPECT_TRUE(point(label).reads_memory) << label;
  }
}

TEST_F(PointsOfAModule, NameWhatAFunctionDoesThatIsNoFastPath) {
  EXPECT_EQ(point("counting").sites[0].problem, "counting() stores to memory");
}

TEST_F(PointsOfAModule, AreNoFastPathsByTheAddressOfALocalVariable) {
  EXPECT_THAT(point("by_content").sites[0].problem,
              testing::HasSubstr("argument 1 of by_content() may point to a local variable"));
}

} // namespace
} // namespace sartor::core
