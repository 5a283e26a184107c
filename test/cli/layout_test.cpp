// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "tools/cli/layout.h"

namespace sartor::cli {
namespace {

TEST(Layout, TableColumnsAreAsWideAsTheirWidestCell) {
  const std::vector<std::vector<std::string>> rows{{"a", "b"}, {"long", "x"}, {"", "y"}};
  EXPECT_EQ(table(rows), "a     b\nlong  x\n      y\n");
}

TEST(Layout, SideBySideFillsTheShorterText) {
  EXPECT_EQ(side_by_side("one\ntwo\n", "uno\n", 43),
            "one                  | uno\ntwo                  |\n");
}

TEST(Layout, SideBySideWrapsLongLinesAtSpaces) {
  EXPECT_EQ(side_by_side("  call one(argument, argument)\n", "", 43),
            "  call one(argument, |\n      argument)      |\n");
}

TEST(Layout, SideBySideCutsWordsThatAreTooLong) {
  EXPECT_EQ(side_by_side(std::string(25, 'x'), "", 43),
            std::string(20, 'x') + " |\n    xxxxx            |\n");
}

TEST(Layout, SideBySideIsNotNarrowerThanTwentyColumns) {
  for (const std::size_t width : {0, 1, 2, 3, 10})
    EXPECT_EQ(side_by_side("one\n", "uno\n", width), "one                  | uno\n") << width;
}

TEST(Layout, SideBySideExpandsTabs) {
  EXPECT_EQ(side_by_side("\tret\n", "", 43), "        ret          |\n");
}

} // namespace
} // namespace sartor::cli
