// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "command.h"
#include "paths.h"

namespace {

using sartor::test::Ran;
using sartor::test::run;
using sartor::test::sartor;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;

/// Returns all commands that the parser has, such as `cache ls`.
std::vector<std::string> all_commands() {
  const Ran ran = sartor("help --all");
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::vector<std::string> commands;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, StartsWith("sartor "));
    commands.push_back(line.substr(7, line.find("  ") - 7));
  }
  return commands;
}

TEST(Usage, HelpListsAllCommands) {
  EXPECT_THAT(all_commands(), IsSupersetOf({"space", "cache", "cache ls", "ld plan", "help"}));
}

TEST(Usage, EachCommandHasHelpWithAnExampleOfItself) {
  for (const std::string &command : all_commands()) {
    const Ran ran = sartor(command + " --help");
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_EQ(ran.err, "") << command;
    EXPECT_THAT(ran.out, HasSubstr("Usage: sartor " + command)) << command;
    EXPECT_THAT(ran.out, HasSubstr("\nExample:\n  sartor " + command)) << command;
  }
}

TEST(Usage, HelpOfACommandIsThatOfItsOption) {
  for (const std::string &command : all_commands())
    EXPECT_EQ(sartor("help " + command).out, sartor(command + " --help").out);
  EXPECT_EQ(sartor("help").out, sartor("--help").out);
}

TEST(Usage, HelpMarksRequiredArguments) {
  const std::vector<std::pair<std::string, std::string>> required{
      {"space", "PROGRAM TEXT REQUIRED"},    {"compile", "--config TEXT ... REQUIRED"},
      {"device", "--target TEXT REQUIRED"},  {"key", "--output NAME REQUIRED"},
      {"ld sign", "FILE TEXT ... REQUIRED"}, {"run", "PROGRAM is required"}};
  for (const auto &[command, marked] : required)
    EXPECT_THAT(sartor("help " + command).out, HasSubstr(marked)) << command;
}

TEST(Usage, AGroupWithoutACommandPrintsItsHelpAsAnError) {
  for (const std::string command : {"", "cache", "ld", "server"}) {
    const Ran ran = sartor(command);
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_EQ(ran.out, "") << command;
    EXPECT_EQ(ran.err, sartor("help " + command).out) << command;
  }
}

struct Mistake {
  std::string line;
  std::string message;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, NameTheNearestRightWord) {
  const Ran ran = sartor(GetParam().line);
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("sartor: " + GetParam().message));
  EXPECT_THAT(ran.err, HasSubstr("--help`"));
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Mistakes,
    testing::Values(
        Mistake{"cahce", R"(unknown command "cahce"; did you mean "cache"?)"},
        Mistake{"cache lss", R"(unknown command "lss"; did you mean "ls"?)"},
        Mistake{"cache --directory /tmp verfy",
                R"(unknown command "verfy"; did you mean "verify"?)"},
        Mistake{"help ld plam", R"(unknown command "plam"; did you mean "plan"?)"},
        Mistake{"zzzzzz", R"(unknown command "zzzzzz")"},
        Mistake{"space --jsno " + paths::program(),
                R"(unknown option "--jsno"; did you mean "--json"?)"},
        Mistake{"cache ls --dir /tmp", R"(unknown option "--dir"; did you mean "--directory"?)"},
        Mistake{"cache rm --handlr=f", R"(unknown option "--handlr"; did you mean "--handler"?)"},
        Mistake{"run --pases bind true", R"(unknown option "--pases"; did you mean "--passes"?)"},
        Mistake{"space --colour " + paths::program(), R"(unknown option "--colour")"},
        Mistake{"space --hepl program", R"(unknown option "--hepl"; did you mean "--help"?)"},
        Mistake{"new -x", R"(unknown option "-x"; there are ")"},
        Mistake{"-x", R"(unknown option "-x"; there are ")"},
        Mistake{"space -json", R"(unknown option "-json"; did you mean "--json"?)"},
        Mistake{"help space extra", R"(unknown command "extra"; sartor space has no commands)"},
        Mistake{"view --program program", "PID|LOG is required"},
        Mistake{"declare", "PLACE is required"}, Mistake{"policy remove -1", "NUMBER: "},
        Mistake{"top --interval nan", "--interval: "}, Mistake{"space", "PROGRAM is required"}));

TEST(Usage, AnEmptyWordIsRefusedWhereItWouldHaveTheEffectOfTheDefault) {
  for (const std::string line :
       {"cache rm --directory /tmp --handler ''", "cache ls --directory ''", "space ''",
        "server purge --client ''", "server purge --answer ''", "policy add ''",
        "policy add --program '' x", "off 4711 ''", "quarantine clear ''", "key --output ''",
        "doctor ''", "explain --handler '' program", "explain program ''"}) {
    const Ran ran = sartor(line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_THAT(ran.err, HasSubstr(": is empty; give it a value\n")) << line;
  }
}

TEST(Usage, TheListOfPassesMayBeEmpty) {
  const Ran ran = sartor("run --passes= -- /bin/echo ''");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "\n");
}

TEST(Usage, OutputThatCannotBeWrittenIsAnError) {
  for (const std::string &line :
       {std::string("--help"), "space --json " + paths::program(), "doctor " + paths::program(),
        "guards " + paths::watched_program(), "explain " + paths::program()}) {
    const Ran ran = sartor(line + " >/dev/full");
    EXPECT_EQ(ran.status, 1) << line;
    EXPECT_THAT(ran.err, HasSubstr("\"standard output\": cannot be written to")) << line;
  }
}

TEST(Usage, AFileThatIsNotRegularIsAnError) {
  const std::string pipe = testing::TempDir() + "sartor_cli_pipe";
  (void)unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string remaining = " " + paths::program();
  for (const std::string &line :
       {std::string("space FILE"), std::string("guards FILE"), std::string("explain FILE"),
        "explain --request FILE" + remaining, "compile --config FILE" + remaining,
        std::string("device FILE --target x86-64 --output /nowhere/name"),
        std::string("declare --check FILE")})
    for (const auto &[file, why] :
         std::vector<std::pair<std::string, std::string>>{{"/tmp", "is a directory"},
                                                          {pipe, "is not a regular file"},
                                                          {"/dev/zero", "is not a regular file"}}) {
      std::string command = line;
      const Ran ran = sartor(command.replace(command.find("FILE"), 4, file));
      EXPECT_EQ(ran.status, 1) << command;
      EXPECT_EQ(ran.out, "") << command;
      EXPECT_THAT(ran.err,
                  AllOf(StartsWith("sartor: file_error: "), HasSubstr(file), HasSubstr(why)))
          << command;
    }
  EXPECT_THAT(sartor("doctor /tmp").out, HasSubstr("/tmp: is a directory"));
  unlink(pipe.c_str());
}

struct Refusal {
  std::string line;
  std::string message;
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheSubjectAndTheRemedyOfTheCommand) {
  const Ran ran = run("env -u HOME -u XDG_CONFIG_HOME -u SARTOR_POLICY " + paths::sartor_command() +
                      " " + GetParam().line);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("sartor: " + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Refusals,
    testing::Values(
        Refusal{"policy add x", R"(file_error: "policy file": is not known (set HOME, )"},
        Refusal{"policy add x --program /nowhere", R"(file_error: "/nowhere": is not a file)"},
        Refusal{
            "server status --server tcp://127.0.0.1:1",
            R"(bad_argument: "tcp://127.0.0.1:1": needs the server's key and an operator's key )"
            "(name them with --server-key and --key)"},
        Refusal{"view server 99999", R"(bad_argument: "99999": is no address)"},
        Refusal{"declare /tmp:f", R"(file_error: "/tmp": is no source file)"},
        Refusal{"explain " + paths::program() + " --config '{'",
                "bad_json: parse error at line 1"}));

TEST(Usage, ADeclarationIsNotDraftedForAFileThatIsNoSource) {
  const std::string file = testing::TempDir() + "sartor_cli_text";
  std::ofstream(file) << "some text";
  const Ran ran = sartor("declare " + file + ":f");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("error: "));
  unlink(file.c_str());
}

TEST(Usage, TheCompilerDriverDocumentsItsOwnOptionsAndThoseOfTheCompiler) {
  const Ran ran = run(paths::sartor_cc() + " --sartor-cc=" CLANG " --help");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("Usage: sartor-cc "));
  for (const char *option :
       {"--sartor-cc=", "--sartor-declarations=", "--sartor-watch", "-fsartor-auto="})
    EXPECT_THAT(ran.out, HasSubstr(option));
  EXPECT_THAT(ran.out, HasSubstr("OVERVIEW: clang"));
}

} // namespace
