// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build_point.h"

extern "C" {
unsigned generator_test_factor = 3;
unsigned generator_test_twice(unsigned x) { return 2 * x; }
}

namespace sartor::testing_custom {
namespace {

using testing::HasSubstr;

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a + b; }
bool is_same(std::int8_t a, bool b) { return (a != 0) == b; }

std::int16_t short_difference(std::int16_t a, std::int16_t b) { return std::int16_t(a - b); }
double product(double a, double b) { return a * b; }
std::uint64_t first(const std::uint64_t *words) { return words[0]; }

Generator from_source(std::string text, std::vector<std::string> flags = {}) {
  return
      [text, flags](const GeneratorInput &) { return GeneratedCode{.text = text, .flags = flags}; };
}

Generator from_ir(std::string text) {
  return [text](const GeneratorInput &) {
    return GeneratedCode{.language = GeneratedCode::Language::llvm_ir, .text = text};
  };
}

void expect_refused(const Generator &generator, const char *message,
                    ErrorCode code = ErrorCode::bad_generator) {
  const Built built(sum, generator);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.failure().code, code) << built.failure().text();
  EXPECT_EQ(built.failure().subject, "point");
  EXPECT_THAT(built.failure().message, HasSubstr(message));
}

TEST(GeneratorTest, BecomesThePointsCode) {
  const Built code(sum, from_source("unsigned specialized(unsigned a, unsigned b) {"
                                    " static const unsigned t[] = {5, 7}; return t[a & 1] * b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0, 10), 50U);
  EXPECT_EQ(code(1, 10), 70U);
}

TEST(GeneratorTest, PassesSmallTypesAsCDoes) {
  const Built code(is_same, from_source("_Bool specialized(signed char a, _Bool b) {"
                                        " return (a < 0) == b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_TRUE(code(-1, true));
  EXPECT_FALSE(code(1, true));
}

TEST(GeneratorTest, ReachesTheProgramsFunctionsAndVariables) {
  const Built code(sum,
                   from_source("extern unsigned generator_test_factor;\n"
                               "unsigned generator_test_twice(unsigned);\n"
                               "unsigned specialized(unsigned a, unsigned b) {"
                               " return generator_test_twice(a) + generator_test_factor * b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(10, 1), 23U);
  generator_test_factor = 4;
  EXPECT_EQ(code(10, 1), 24U);
  generator_test_factor = 3;
}

TEST(GeneratorTest, KeepsItsOwnNamesToItself) {
  const Built code(sum, from_source("unsigned generator_test_twice(unsigned x) { return 9 * x; }\n"
                                    "unsigned specialized(unsigned a, unsigned b) {"
                                    " return generator_test_twice(a) + b; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(10, 1), 91U);
  EXPECT_EQ(generator_test_twice(10), 20U);
}

TEST(GeneratorTest, DescribesThePoint) {
  const Built code(
      short_difference,
      [](const GeneratorInput &point) {
        EXPECT_EQ(point.label, "point");
        EXPECT_EQ(point.kind, "kind");
        EXPECT_EQ(point.handler, "handler");
        EXPECT_EQ(point.setting, Value("tree"));
        EXPECT_EQ(point.result, type_of<std::int16_t>());
        EXPECT_EQ(point.arguments.size(), 2U);
        return GeneratedCode{.text = "short f(short a, short b) { return b; }", .function = "f"};
      },
      "tree");
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(1, -2), -2);
}

TEST(GeneratorTest, CallsTheGenericFunction) {
  const Built code(sum, from_source("unsigned sartor_generic(unsigned, unsigned);\n"
                                    "unsigned specialized(unsigned a, unsigned b) {"
                                    " return a == 3 ? 33 : sartor_generic(a, b); }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(3, 9), 33U);
  EXPECT_EQ(code(4, 9), 13U);
}

TEST(GeneratorTest, CallsTheGenericFunctionWithSmallTypes) {
  const Built code(short_difference, from_ir("declare i16 @sartor_generic(i16, i16)\n"
                                             "define i16 @specialized(i16 %a, i16 %b) {\n"
                                             "  %r = call i16 @sartor_generic(i16 %b, i16 %a)\n"
                                             "  ret i16 %r\n}\n"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(-7, 3), 10);
}

TEST(GeneratorTest, TakesLlvmIr) {
  const Built code(sum, from_ir("declare i32 @llvm.ctpop.i32(i32)\n"
                                "@t = constant [2 x i32] [i32 5, i32 7]\n"
                                "define i32 @specialized(i32 %a, i32 %b) {\n"
                                "  %ones = call i32 @llvm.ctpop.i32(i32 %a)\n"
                                "  %p = getelementptr i32, ptr @t, i32 %b\n"
                                "  %v = load i32, ptr %p\n"
                                "  %r = add i32 %ones, %v\n"
                                "  ret i32 %r\n}\n"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0xff, 0), 13U);
  EXPECT_EQ(code(0xff, 1), 15U);
}

TEST(GeneratorTest, TakesFloatingPointNumbersAndPointers) {
  const Built real(product, from_source("double specialized(double a, double b) {"
                                        " return (a + b) * a - 0.5; }"));
  ASSERT_TRUE(real) << real.failure().text();
  EXPECT_EQ(real(1.5, 2.25), (1.5 + 2.25) * 1.5 - 0.5);
  static const std::uint64_t words[] = {11, 22};
  const Built pointer(first, from_source("unsigned long specialized(unsigned long *p)"
                                         " { return p[1]; }"));
  ASSERT_TRUE(pointer) << pointer.failure().text();
  EXPECT_EQ(pointer(words), 22U);
}

TEST(GeneratorTest, MayHaveEffectsThatTheGenericFunctionHasNot) {
  const Built code(sum, from_source("extern unsigned generator_test_factor;\n"
                                    "unsigned specialized(unsigned a, unsigned b) {"
                                    " return generator_test_factor++ + a; }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(10, 0), 13U);
  EXPECT_EQ(code(10, 0), 14U);
  generator_test_factor = 3;
}

TEST(GeneratorTest, MayCallItself) {
  const Built code(sum, from_source("unsigned specialized(unsigned a, unsigned b) {"
                                    " return a < 2 ? b : a * specialized(a - 1, b); }"));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(5, 2), 240U);
}

TEST(GeneratorTest, IncludesHeadersFromTheDirectoriesGiven) {
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

TEST(GeneratorTest, ReportsWhatClangFinds) {
  expect_refused(from_source("unsigned specialized(unsigned a, unsigned b) { return a + ; }"),
                 "expected expression");
}

TEST(GeneratorTest, RefusesSourceWithoutTheFunction) {
  expect_refused(from_source("unsigned other(unsigned a, unsigned b) { return a + b; }"),
                 "does not define the function \"specialized\"");
}

TEST(GeneratorTest, RefusesAFunctionOfAnotherType) {
  expect_refused(from_source("unsigned specialized(unsigned a) { return a; }"),
                 "has the type i32 (i32), the point's is i32 (i32, i32)");
}

TEST(GeneratorTest, ReportsASymbolThatTheProgramDoesNotHave) {
  const Built built(sum, from_source("unsigned generator_no_such(unsigned);\n"
                                     "unsigned specialized(unsigned a, unsigned b) {"
                                     " return generator_no_such(a + b); }"));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.failure().code, ErrorCode::missing_symbol);
  EXPECT_EQ(built.failure().subject, "generator_no_such");
}

constexpr const char *kSum = "define i32 @specialized(i32 %a, i32 %b) {\n"
                             "entry:\n"
                             "  %r = add nuw i32 %a, %b\n"
                             "  br label %end\n"
                             "end:\n"
                             "  ret i32 %r\n}\n";

TEST(GeneratorTest, ReportsWhatLlvmsParserFinds) {
  expect_refused(from_ir("define i32 @specialized(i32 %a) {\n  ret i32 %b\n}\n"), "line 2",
                 ErrorCode::generated_invalid_ir);
  expect_refused(from_ir("unsigned specialized(unsigned a);"), "line 1",
                 ErrorCode::generated_invalid_ir);
}

TEST(GeneratorTest, ReportsWhatLlvmsVerifierFinds) {
  expect_refused(from_ir("define i32 @specialized(i32 %a, i32 %b) {\n"
                         "  br i1 poison, label %x, label %y\n"
                         "x:\n  %r = add i32 %a, %b\n  br label %y\n"
                         "y:\n  ret i32 %r\n}\n"),
                 "dominate", ErrorCode::generated_invalid_ir);
}

TEST(GeneratorTest, RefusesIrForAnotherMachine) {
  expect_refused(from_ir(std::string("target triple = \"riscv64-unknown-linux-gnu\"\n") + kSum),
                 "riscv64", ErrorCode::generated_invalid_ir);
}

TEST(GeneratorTest, RefusesReservedNames) {
  expect_refused(from_ir(std::string("declare void @sartor.call.x()\n") + kSum), "reserved",
                 ErrorCode::generated_invalid_ir);
}

TEST(GeneratorTest, RefusesAGenericFunctionOfAnotherType) {
  expect_refused(from_source("unsigned sartor_generic(unsigned);\n"
                             "unsigned specialized(unsigned a, unsigned b) {"
                             " return sartor_generic(a); }"),
                 "sartor_generic");
}

TEST(GeneratorTest, RefusesNoText) { expect_refused(from_ir(""), "no text"); }

TEST(GeneratorTest, ReportsExceptions) {
  expect_refused(
      [](const GeneratorInput &) -> GeneratedCode { throw std::runtime_error("on purpose"); },
      "on purpose");
  expect_refused([](const GeneratorInput &) -> GeneratedCode { throw 1; }, "not a std::exception");
}

TEST(GeneratorTest, RefusesAnInvariantThatIsNotValid) {
  expect_refused(
      [](const GeneratorInput &) {
        GeneratedCode code{.language = GeneratedCode::Language::llvm_ir, .text = kSum};
        code.depends_on(Invariant());
        return code;
      },
      "is not valid");
}

TEST(GeneratorTest, SurvivesDamagedIr) {
  const std::string text = kSum;
  for (std::size_t i = 0; i < text.size(); ++i) {
    (void)Built(sum, from_ir(text.substr(0, i)));
    for (const char other : {'\0', '@', '%', '"', '9', '\xff'}) {
      std::string damaged = text;
      damaged[i] = other;
      (void)Built(sum, from_ir(damaged));
    }
  }
  const Built code(sum, from_ir(text));
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(2, 3), 5U);
}

TEST(GeneratorTest, ReportsThatClangIsMissing) {
  setenv("SARTOR_CLANG", "/nowhere/clang", 1);
  expect_refused(from_source("unsigned specialized(unsigned a, unsigned b) { return a + b; }"),
                 "/nowhere/clang", ErrorCode::no_clang);
  unsetenv("SARTOR_CLANG");
}

} // namespace
} // namespace sartor::testing_custom
