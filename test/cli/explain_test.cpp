// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"

namespace {

using nlohmann::json;
using sartor::test::Ran;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Ran explain(const std::string &arguments) {
  return sartor("explain " + paths::program() + " " + arguments);
}

json explained(const std::string &arguments) {
  const Ran ran = explain("--json " + arguments);
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out)["handlers"][0];
}

json point(const json &handler, const std::string &label) {
  for (const json &found : handler["points"])
    if (found["label"] == label)
      return found;
  return {};
}

int gain(const json &difference) {
  return difference["after"].get<int>() - difference["before"].get<int>();
}

TEST(Explain, ReportsTheLoopThatAKnownBoundUnrolls) {
  const json handler = explained(R"(--handler scale_rows --config '{"columns":8,"mode":1}')");
  const json effects = point(handler, "columns")["effects"];
  EXPECT_EQ(gain(effects["work"]["loops unrolled completely"]), 1);
}

TEST(Explain, ReportsVectorizedLoops) {
  const json handler = explained(R"(--handler scale_rows --config '{"mode":1}')");
  EXPECT_GT(handler["whole"]["work"]["loops vectorized"]["after"], 0);
  EXPECT_GT(handler["whole"]["optimized"]["vector instructions"]["after"], 0);
}

TEST(Explain, CountsBranchesAndLoadsThatOnePointTookAway) {
  const json handler = explained(R"(--handler scale_rows --config '{"columns":8,"mode":1}')");
  const json effects = point(handler, "mode")["effects"];
  EXPECT_EQ(gain(effects["simplified"]["branches"]), -1); // the switch
  EXPECT_EQ(gain(effects["simplified"]["loads"]), -2);    // in two of its three cases
  EXPECT_EQ(gain(effects["simplified"]["stores"]), -2);
}

TEST(Explain, SaysInWordsWhatFolded) {
  const Ran ran = explain(R"(--handler scale_rows --config '{"columns":8,"mode":1}')");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("scale_rows{columns=8,mode=1}\n"));
  EXPECT_THAT(ran.out, ContainsRegex("columns  set to 8 .guarded.\n *1 loop unrolled completely"));
  EXPECT_THAT(ran.out,
              ContainsRegex("mode     set to 1 .guarded.\n[^\n]*1 branch gone, 2 loads gone"));
}

TEST(Explain, ReportsSeveralValuesAndMissingGuards) {
  const Ran ran = explain(
      R"(--handler scale_rows --config '{"columns":{"values":[4,8],"guard":false},"mode":[1,2]}')");
  EXPECT_THAT(ran.out, HasSubstr("set to 4 or 8 (not guarded)"));
  EXPECT_THAT(ran.out, HasSubstr("set to 1 or 2 (guarded)"));
}

TEST(Explain, NamesWhatTheConfigurationLeavesOut) {
  const Ran ran = explain(R"(--handler scale_rows --config '{"mode":1}')");
  EXPECT_THAT(ran.out, ContainsRegex("columns  generic: not in the configuration; can be set to "
                                     "4, 8, 16\n"));
}

TEST(Explain, NamesPointsThatTheHandlerDoesNotReach) {
  const Ran ran = explain(R"(--handler scale_rows --config '{"small":true}')");
  EXPECT_THAT(ran.out,
              HasSubstr("not reachable from this handler: ignored, limit, small, step, wide\n"));
  EXPECT_THAT(ran.out, StartsWith("scale_rows{}\n"));
}

TEST(Explain, SaysWhyAShapeStaysGeneric) {
  const Ran ran = explain(R"(--handler retried --config '{"limit":3}')");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("limit  generic: [^\n]*:[0-9]+: the function calls setjmp"));
  EXPECT_THAT(ran.out, Not(HasSubstr("set to 3")));
}

TEST(Explain, SaysThatAResultIsNotUsed) {
  const Ran ran = explain(R"(--handler doubled --config '{"small":true,"ignored":3}')");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("ignored  generic: [^\n]*:[0-9]+: its result is not used"));
}

TEST(Explain, SaysThatAValueIsTooWide) {
  const Ran ran = explain("--handler low_bits");
  EXPECT_THAT(ran.out, ContainsRegex("wide  generic: [^\n]*: the value is wider than 64 bits"));
}

TEST(Explain, SaysWhatTheOptimiserDidNotDo) {
  const Ran ran = explain("--handler retried");
  EXPECT_THAT(ran.out, ContainsRegex("not done by the optimiser\n    inline: _setjmp will not be "
                                     "inlined into retried\\{\\}"));
}

TEST(Explain, SaysWhereTheOptimiserDidNotDoIt) {
  const Ran ran = explain("--handler doubled");
  EXPECT_THAT(ran.out,
              ContainsRegex("inline: 'offset' not inlined[^\n]*\\(handlers.cpp:[0-9]+\\)"));
  const json handler = explained("--handler doubled");
  ASSERT_FALSE(handler["not_done"].empty());
  EXPECT_THAT(handler["not_done"][0]["file"].get<std::string>(),
              testing::EndsWith("/handlers.cpp"));
  EXPECT_GT(handler["not_done"][0]["line"], 0);
}

TEST(Explain, SaysWhatToDoAboutASettingWithoutEffect) {
  const std::string arguments = R"(--handler doubled --config '{"small":true,"ignored":3}')";
  EXPECT_THAT(explain(arguments).out,
              ContainsRegex("point_unused: ignored [^\n]*handlers.cpp:[0-9]+[^\n]*\n"
                            "      A point is set, but nothing [^\n]*\n"
                            "      fix: Use the value [^\n]*remarks.md#point_unused\\.\n"));
  const json remark = explained(arguments)["changed_nothing"][0];
  EXPECT_EQ(remark["code"], "point_unused");
  EXPECT_THAT(remark["fix"].get<std::string>(), StartsWith("Use the value"));
  EXPECT_EQ(remark["reference"], "docs/reference/remarks.md#point_unused");
}

TEST(Explain, CallsFunctionsAsInTheSource) {
  const Ran ran = explain("--handler doubled");
  EXPECT_THAT(ran.out, HasSubstr("inline: 'offset' not inlined into 'doubled{}' because"));
}

TEST(Explain, SpecializesFunctionsThatAreNotInlined) {
  const json handler =
      explained(R"(--handler doubled --config '{"step":4,"ignored":3,"small":true}')");
  EXPECT_EQ(point(handler, "step")["specialized"], true);
  EXPECT_EQ(point(handler, "ignored")["specialized"], false);
}

TEST(Explain, ReportsAnAssertionThatDoesNotHoldAfterTheRest) {
  const Ran ran = explain(R"(--handler doubled --config '{"ignored":3}')");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, StartsWith("doubled{ignored=3}\n"));
  EXPECT_THAT(ran.err, StartsWith("sartor: not_constant: \"is_small ? 2 : step\": "));
}

TEST(Explain, WithoutAHandlerReportsAll) {
  const Ran ran = explain(R"(--config '{"small":true}')");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char *handler : {"scale_rows{}\n", "doubled{small=1}\n", "retried{}\n"})
    EXPECT_THAT(ran.out, HasSubstr(handler));
}

TEST(Explain, OfAnUnknownLabelNamesTheNearest) {
  const Ran ran = explain(R"(--config '{"colums":8}')");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("sartor: unknown_label: \"colums\": "));
  EXPECT_THAT(ran.err, HasSubstr("did you mean \"columns\"?"));
}

TEST(Explain, OfAnUnknownHandlerNamesTheNearest) {
  const Ran ran = explain("--handler scale_row");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, StartsWith("sartor: unknown_handler: \"scale_row\": "));
  EXPECT_THAT(ran.err, HasSubstr("did you mean \"scale_rows\"?"));
}

TEST(Explain, OfAWrongValueIsAnError) {
  const Ran ran = explain(R"(--config '{"columns":5}')");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, StartsWith("sartor: value_outside_choices: \"columns\": "));
}

TEST(Explain, OfABrokenConfigurationIsAnError) {
  const Ran ran = explain(R"(--config '{"columns')");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, StartsWith("sartor: bad_json: "));
}

TEST(Explain, ShowsBothAssembliesSideBySide) {
  const Ran ran = explain(R"(--handler doubled --config '{"small":true}' --asm)");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("Assembly of the generic code +\\| Assembly of the variant"));
  EXPECT_THAT(ran.out, ContainsRegex("\n\"doubled\\{\\}\": +\\| "));
  EXPECT_THAT(ran.out, ContainsRegex("\n[^|\n]+\\| \"doubled\\{small=1\\}\":\n"));
  EXPECT_THAT(ran.out, HasSubstr("sartor.guard_failures")); // the code as it runs, with side exits
}

TEST(Explain, ShowsBothIrsSideBySide) {
  const Ran ran = explain(R"(--handler doubled --config '{"small":true}' --ir)");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\ndefine [^\n]*doubled\\{\\}"));
  EXPECT_THAT(ran.out, HasSubstr("@\"doubled{small=1}\""));
  EXPECT_THAT(ran.out, Not(HasSubstr("Assembly of")));
}

TEST(Explain, ReadsABitcodeFile) {
  const Ran ran = sartor("explain " + paths::module() + R"( --config '{"exponent":3}')");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("power{exponent=3}\n"));
}

TEST(Explain, ReportsWhichPointsAreTemplates) {
  const Ran scaled =
      sartor("explain " + paths::device_bitcode() + R"( --handler reals --config '{"scale":0.5}')");
  EXPECT_EQ(scaled.status, 0) << scaled.err;
  EXPECT_THAT(scaled.out, HasSubstr("template: its value is only an operand"));
  const Ran divided = sartor("explain " + paths::device_bitcode() +
                             R"( --handler divisions --config '{"divisor":3}')");
  EXPECT_EQ(divided.status, 0) << divided.err;
  EXPECT_THAT(divided.out, Not(HasSubstr("template")));
}

} // namespace
