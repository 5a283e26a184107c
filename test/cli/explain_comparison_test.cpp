// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sartor explain`: how calls of a handler can be compared with the native code.
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"

namespace {

using nlohmann::json;
using sartor::test::Ran;
using sartor::test::sartor;
using testing::EndsWith;
using testing::HasSubstr;

/// The `compared` of a handler in the JSON of `sartor explain`.
json compared(const std::string &handler, const std::string &program = paths::compared_program()) {
  const Ran ran = sartor("explain " + program + " --json --handler " + handler);
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out)["handlers"][0]["compared"];
}

/// The line of the source that has this comment.
unsigned line_of(const std::string &comment) {
  std::ifstream source(paths::compared_source());
  unsigned number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.contains(comment))
      return number;
  }
  ADD_FAILURE() << "no line with " << comment;
  return 0;
}

TEST(ExplainComparison, InTheProcessNeedsNoReason) {
  const json pure = compared("compared_add");
  EXPECT_EQ(pure["how"], "pure");
  EXPECT_EQ(pure["text"], "in the process");
  EXPECT_FALSE(pure.contains("reason"));
  EXPECT_FALSE(pure.contains("line"));
  EXPECT_FALSE(pure.contains("code"));
  EXPECT_EQ(compared("compared_fill")["how"], "writes");
}

TEST(ExplainComparison, ACallIsTheReasonForAChildProcess) {
  const json isolated = compared("compared_print");
  EXPECT_EQ(isolated["how"], "isolated");
  EXPECT_EQ(isolated["reason"], "it calls puts_of_program()");
  EXPECT_THAT(isolated["file"].get<std::string>(), EndsWith("compared_handlers.c"));
  EXPECT_EQ(isolated["line"], line_of("the reason of compared_print"));
}

TEST(ExplainComparison, AnAtomicOperationIsTheReasonForNone) {
  const json none = compared("compared_add_to");
  EXPECT_EQ(none["how"], "none");
  EXPECT_EQ(none["reason"], "compared_add_to() uses atomic operations");
  EXPECT_EQ(none["code"], "atomics");
  EXPECT_EQ(none["line"], line_of("the reason of compared_add_to"));
}

TEST(ExplainComparison, WithASanitizerResultsAreComparedInTheProcess) {
  for (const std::string &program : std::vector<std::string>{paths::compared_program_address(),
                                                             paths::compared_program_thread()}) {
    SCOPED_TRACE(program);
    const json pure = compared("compared_add", program);
    EXPECT_EQ(pure["how"], "pure");
    EXPECT_EQ(pure["text"], "in the process, never in a child process");
    EXPECT_EQ(compared("compared_fill", program)["how"], "writes");
  }
}

TEST(ExplainComparison, WithASanitizerOtherEffectsAreNotCompared) {
  const json none = compared("compared_print", paths::compared_program_thread());
  EXPECT_EQ(none["how"], "none");
  EXPECT_EQ(none["code"], "sanitizer");
  EXPECT_THAT(none["reason"].get<std::string>(),
              HasSubstr("the checks of -fsanitize=thread, which a child process cannot run, and "));
}

TEST(ExplainComparison, HooksAreTheReasonForNone) {
  const json none = compared("compared_add", paths::compared_program_hooks());
  EXPECT_EQ(none["how"], "none");
  EXPECT_EQ(none["code"], "options");
  EXPECT_EQ(none["reason"],
            "its native code has the hooks, counters or checks of -pg, and variants have not");
}

TEST(ExplainComparison, TheTextNamesThePlace) {
  const Ran ran = sartor("explain " + paths::compared_program() + " --handler compared_print");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(
      ran.out,
      HasSubstr("\n  compared: in a child process, because it calls puts_of_program() at "));
  EXPECT_THAT(ran.out, HasSubstr("compared_handlers.c:" +
                                 std::to_string(line_of("the reason of compared_print")) + "\n"));
}

TEST(ExplainComparison, WithoutLinesThereIsAReasonOnly) {
  const Ran ran =
      sartor("explain " + paths::compared_program_without_lines() + " --handler compared_print");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("\n  compared: in a child process, because it calls puts_of_program()\n"));
}

} // namespace
