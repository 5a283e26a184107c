// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each code of a remark has a sentence, a fix, and a section in the book with the same texts.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/remark_help.h"
#include "paths.h"

namespace sartor {
namespace {

/// The sections of docs/reference/remarks.md, without code spans.
std::string book() {
  std::ifstream file(paths::source() + "/docs/reference/remarks.md");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::erase(text, '`');
  return text;
}

TEST(RemarkHelp, CoversAllCodes) {
  const std::string text = book();
  for (unsigned code = 0; code <= static_cast<unsigned>(RemarkCode::kLast); ++code) {
    const auto each = static_cast<RemarkCode>(code);
    const std::string name(to_string(each));
    const RemarkHelp help = help_on(each);
    ASSERT_FALSE(name.empty()) << code;
    EXPECT_FALSE(help.meaning.empty()) << name;
    EXPECT_TRUE(help.meaning.ends_with('.')) << name;
    EXPECT_FALSE(help.fix.empty()) << name;
    EXPECT_EQ(anchor_of(each), "docs/reference/remarks.md#" + name);
    const std::string section = "\n## " + name + "\n\n" + std::string(help.meaning) +
                                "\n\nFix: " + std::string(help.fix) + "\n";
    EXPECT_NE(text.find(section), std::string::npos) << "the book has no section " << section;
  }
}

} // namespace
} // namespace sartor
