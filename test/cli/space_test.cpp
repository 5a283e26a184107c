// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"

namespace {

using sartor::test::Ran;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Space, ListsLabelKindTypeChoicesHandlersAndSite) {
  const Ran ran = sartor("space " + paths::program());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("LABEL    KIND     TYPE  CHOICES    HANDLERS    SITES\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\ncolumns  enum     i32   4, 8, 16   scale_rows  "
                                     "[^\n]*handlers.cpp:[0-9]+ scale_rows\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nmode     range    i32   0 to 3     scale_rows"));
  EXPECT_THAT(ran.out, ContainsRegex("\nsmall    assume   bool  true       doubled"));
  EXPECT_THAT(ran.out, ContainsRegex("\nignored  generic  i32   any value  doubled"));
}

TEST(Space, SaysWhyAPlaceStaysGeneric) {
  const Ran ran = sartor("space " + paths::program());
  EXPECT_THAT(ran.out, ContainsRegex("limit [^\n]*stays generic: the function calls setjmp"));
  EXPECT_THAT(ran.out, ContainsRegex("wide [^\n]*stays generic: the value is wider than 64 bits"));
}

TEST(Space, WritesJson) {
  const Ran ran = sartor("space --json " + paths::program());
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["points"][0]["label"], "columns");
  EXPECT_EQ(json["points"][0]["choices"], nlohmann::json({4, 8, 16}));
}

TEST(Space, ReadsABitcodeFile) {
  const Ran ran = sartor("space " + paths::module());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("exponent  enum  i32   2, 3     power"));
}

TEST(Space, OfAProgramWithoutHandlersIsAnError) {
  const Ran ran = sartor("space " + paths::no_handlers());
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("sartor: no_handler_module: "));
}

TEST(Space, OfAMissingFileIsAnError) {
  const Ran ran = sartor("space /nonexistent/program");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("file_error: \"/nonexistent/program\""));
}

TEST(Space, OfAModuleWithoutATargetIsAnError) {
  const std::string file = testing::TempDir() + "sartor_cli_no_target.ll";
  std::ofstream(file) << "define void @f() {\n  ret void\n}\n";
  const Ran ran = sartor("space " + file);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("is for no named target, this machine is "));
  std::filesystem::remove(file);
}

TEST(Command, HelpAndVersionSucceed) {
  EXPECT_EQ(sartor("--help").status, 0);
  EXPECT_EQ(sartor("explain --help").status, 0);
  const Ran ran = sartor("--version");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, ContainsRegex("^sartor [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
}

TEST(Command, WrongUsageIsStatusTwo) {
  EXPECT_EQ(sartor("").status, 2);
  EXPECT_EQ(sartor("mend").status, 2);
  EXPECT_EQ(sartor("space").status, 2);
  EXPECT_EQ(sartor("space --colour " + paths::program()).status, 2);
}

} // namespace
