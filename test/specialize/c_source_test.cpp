// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/builder.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build_point.h"

extern "C" {
unsigned builder_test_factor = 3;
unsigned builder_test_twice(unsigned x) { return 2 * x; }
}

namespace sartor::testing_custom {
namespace {

using testing::HasSubstr;

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a + b; }
bool is_same(std::int8_t a, bool b) { return (a != 0) == b; }

Generator from_source(std::string text, std::vector<std::string> flags = {}) {
  return [text, flags](Builder &b) { b.result(b.source({.text = text, .flags = flags})); };
}

void expect_refused(const Generator &generator, const char *message,
                    ErrorCode code = ErrorCode::bad_generator) {
  const Built built(sum, generator);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.failure().code, code) << built.failure().text();
  EXPECT_EQ(built.failure().subject, "point");
  EXPECT_THAT(built.failure().message, HasSubstr(message));
}

TEST(CSourceTest, BecomesThePointsCode) {
  const Built code(sum, from_source("unsigned specialized(unsigned a, unsigned b) {"
                                    " static const unsigned t[] = {5, 7}; return t[a & 1] * b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0, 10), 50U);
  EXPECT_EQ(code(1, 10), 70U);
}

TEST(CSourceTest, PassesSmallTypesAsCDoes) {
  const Built code(is_same, from_source("_Bool specialized(signed char a, _Bool b) {"
                                        " return (a < 0) == b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_TRUE(code(-1, true));
  EXPECT_FALSE(code(1, true));
}

TEST(CSourceTest, ReachesTheProgramsFunctionsAndVariables) {
  const Built code(sum, from_source("extern unsigned builder_test_factor;\n"
                                    "unsigned builder_test_twice(unsigned);\n"
                                    "unsigned specialized(unsigned a, unsigned b) {"
                                    " return builder_test_twice(a) + builder_test_factor * b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(10, 1), 23U);
  builder_test_factor = 4;
  EXPECT_EQ(code(10, 1), 24U);
  builder_test_factor = 3;
}

TEST(CSourceTest, KeepsItsOwnNamesToItself) {
  const Built code(sum, from_source("unsigned builder_test_twice(unsigned x) { return 9 * x; }\n"
                                    "unsigned specialized(unsigned a, unsigned b) {"
                                    " return builder_test_twice(a) + b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(10, 1), 91U);
  EXPECT_EQ(builder_test_twice(10), 20U);
}

TEST(CSourceTest, MayBeOneOfSeveralAndPartOfOtherCode) {
  const Built code(sum, [](Builder &b) {
    const auto first = b.source({"unsigned f(unsigned a, unsigned b) { return a * b; }", "f", {}});
    const auto second = b.source({"unsigned f(unsigned a, unsigned b) { return a - b; }", "f", {}});
    b.result(b.add(first, b.multiply(second, b.generic())));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(7, 3), 7U * 3 + (7U - 3) * (7 + 3));
}

TEST(CSourceTest, IncludesHeadersFromTheDirectoriesGiven) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "sartor_c_source_test";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "program_types.h") << "typedef struct { unsigned mtu; } port;\n";
  const Built code(sum, from_source("#include <program_types.h>\n"
                                    "unsigned specialized(unsigned a, unsigned b) {"
                                    " port p = {a}; return p.mtu + 2 * b; }",
                                    {"-I" + directory.string()}));
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(1, 2), 5U);
}

TEST(CSourceTest, ReportsWhatClangFinds) {
  expect_refused(from_source("unsigned specialized(unsigned a, unsigned b) { return a + ; }"),
                 "expected expression");
}

TEST(CSourceTest, RefusesSourceWithoutTheFunction) {
  expect_refused(from_source("unsigned other(unsigned a, unsigned b) { return a + b; }"),
                 "does not define the function \"specialized\"");
}

TEST(CSourceTest, RefusesAFunctionOfAnotherType) {
  expect_refused(from_source("unsigned specialized(unsigned a) { return a; }"),
                 "has the type i32 (i32), the point's is i32 (i32, i32)");
}

TEST(CSourceTest, ReportsASymbolThatTheProgramDoesNotHave) {
  const Built built(sum, from_source("unsigned builder_no_such(unsigned);\n"
                                     "unsigned specialized(unsigned a, unsigned b) {"
                                     " return builder_no_such(a + b); }"));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.failure().code, ErrorCode::missing_symbol);
  EXPECT_EQ(built.failure().subject, "builder_no_such");
}

TEST(CSourceTest, ReportsThatClangIsMissing) {
  setenv("SARTOR_CLANG", "/nowhere/clang", 1);
  expect_refused(from_source("unsigned specialized(unsigned a, unsigned b) { return a + b; }"),
                 "/nowhere/clang", ErrorCode::no_clang);
  unsetenv("SARTOR_CLANG");
}

} // namespace
} // namespace sartor::testing_custom
