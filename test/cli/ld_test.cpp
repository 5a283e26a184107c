// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"
#include "tools/temporary_directory.h"

namespace {

using sartor::test::Ran;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Ld, ShowsAProgramAndItsLibraries) {
  const Ran ran = sartor("ld show /bin/ls");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("TEXT KiB  DATA KiB  SYMBOLS"));
  EXPECT_THAT(ran.out, HasSubstr("/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_THAT(ran.out, ContainsRegex("\n/bin/ls\n  program, build id [0-9a-f]+\n"));
  EXPECT_THAT(ran.out, ContainsRegex("r-x  [^\n]*\\.text"));
  EXPECT_THAT(ran.out, ContainsRegex("[0-9]+ call stub"));
}

TEST(Ld, WritesAllOfItAsJson) {
  const Ran ran = sartor("ld show --json /bin/ls");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  const auto &program = json["libraries"][0];
  EXPECT_EQ(program["path"], "/bin/ls");
  EXPECT_EQ(program["kind"], "program");
  const auto &site = program["call_sites"][0];
  const auto &relocation = program["relocations"][site["relocation"].get<std::size_t>()];
  EXPECT_EQ(relocation["address"], site["slot"]);
  EXPECT_GT(json["libraries"].size(), 2U);
  EXPECT_EQ(json["missing"].size(), 0U);
}

TEST(Ld, ShowsALibraryByItself) {
  const Ran ran = sartor("ld show /lib/x86_64-linux-gnu/libz.so.1");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n  library, build id "));
}

TEST(Ld, SaysWhyALibraryStaysAsItsFileHasIt) {
  const Ran ran = sartor("ld show " + paths::distances());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("\n  not packed: it may have a table of "
                                     "distances at 0x[0-9a-f]+\n"));
}

TEST(Ld, AddsProfilesAndSamples) {
  const ::sartor::tools::TemporaryDirectory folder("sartor-test");
  const std::string profile = folder.path() + "/profile", samples = folder.path() + "/samples";
  std::ofstream(profile) << "sartor-profile 1\nlibrary 00ff /lib/a.so\nfunction 00ff 0x10 5\n";
  std::ofstream(samples) << "a  1 1.5:  1 cycles:u: \n\t 10 b (/nowhere/b.so)\n\n";
  const Ran ran = sartor("ld profile " + profile + " " + samples + " " + profile);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "sartor-profile 1\nlibrary 00ff /lib/a.so\nfunction 00ff 0x10 10\n");
  EXPECT_THAT(ran.err, HasSubstr("1 of 1 samples are in /nowhere/b.so"));

  const Ran piped = ::sartor::test::run("cat " + samples + " | " + paths::sartor_command() +
                                        " ld profile /dev/stdin");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_THAT(piped.err, HasSubstr("1 of 1 samples are in /nowhere/b.so"));

  std::ofstream(samples) << "nothing\n";
  const Ran none = sartor("ld profile " + samples);
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("has no samples"));
  std::ofstream(profile) << "sartor-profile 1\nfunction\n";
  EXPECT_THAT(sartor("ld profile " + profile).err, HasSubstr(profile + ":2"));
}

TEST(Ld, SurveysLibraries) {
  const Ran ran = sartor("ld survey /lib/x86_64-linux-gnu/libc.so.6 " + paths::distances() +
                         " /etc/passwd "
                         "/lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libm.so.6 /bin/ls");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("2 of 4 libraries can be packed\n\n"
                                  "not packed:\n"
                                  "1  it is the stock loader\n"
                                  "1  it may have a table of distances\n\n"));
  EXPECT_THAT(ran.out, HasSubstr(paths::distances()));
}

TEST(Ld, SurveyOfNoLibraryIsAnError) {
  const Ran ran = sartor("ld survey /etc/passwd");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("there is no library"));
}

TEST(Ld, WhatIsNoElfFileIsAnError) {
  const Ran ran = sartor("ld show /etc/passwd");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("sartor: bad_elf: \"/etc/passwd\": is no ELF file"));
}

TEST(Ld, SaysWhatPassesWouldDo) {
  const Ran ran = sartor("ld plan /bin/ls --passes bind");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("bind: done\n"));
  EXPECT_THAT(ran.out, ContainsRegex("bind: /bin/ls: [1-9][0-9]* of [1-9][0-9]* call sites\n"));
}

TEST(Ld, PlansWithoutAnyPass) {
  for (const char *arguments : {"ld plan /bin/ls --passes ''", "ld plan --passes= /bin/ls"}) {
    const Ran ran = sartor(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Ld, PlanThatCannotBeMadeIsAnError) {
  const Ran ran = sartor("ld plan /etc/passwd");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("\"/etc/passwd\""));
}

} // namespace
