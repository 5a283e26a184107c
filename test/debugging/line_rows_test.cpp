// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/line_rows.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/image/pack.h"
#include "image_of.h"
#include "runtime/codemem/debugger.h"
#include "runtime/codemem/function_frames.h"

namespace sartor::runtime {
namespace {

// f() at line 10 calls other() in line 11; line 5 of g() is inlined into line 12.
constexpr const char *kText = R"(
declare i32 @other(i32)
define i32 @f(i32 %x) uwtable !dbg !4 {
  %a = call i32 @other(i32 %x), !dbg !6
  %b = mul i32 %a, 77, !dbg !7
  ret i32 %b, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "p", isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "folder/lines.c", directory: "/where")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "f", file: !1, scope: !1, line: 10, scopeLine: 10, unit: !0, type: !10, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "g", file: !1, scope: !1, line: 4, unit: !0, type: !10, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 11, scope: !4)
!7 = !DILocation(line: 5, scope: !5, inlinedAt: !8)
!8 = distinct !DILocation(line: 12, scope: !4)
!9 = !DILocation(line: 13, scope: !4)
!10 = !DISubroutineType(types: !11)
!11 = !{null}
)";

const std::string &content_of(const core::CodeImage &image, const char *name) {
  return std::ranges::find(image.debug, name, &core::DebugSection::name)->content;
}

TEST(LineRowsTest, ReadsTheLinesOfAnImage) {
  const core::CodeImage image = image_of(kText, "f");
  const std::vector<LineRow> rows = line_rows(image.debug);
  std::vector<std::uint32_t> lines;
  for (const LineRow &row : rows) {
    EXPECT_EQ(row.file, "/where/folder/lines.c");
    EXPECT_LE(row.at, image.code.size());
    lines.push_back(row.line);
  }
  EXPECT_THAT(lines, testing::IsSupersetOf({10U, 11U, 5U, 13U}));
  EXPECT_EQ(rows.front().at, image.entry);
}

TEST(LineRowsTest, OfDamagedSectionsAreRead) {
  const core::CodeImage image = image_of(kText, "f");
  std::mt19937 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (int i = 0; i < 20'000; ++i) {
    std::vector<core::DebugSection> debug = image.debug;
    for (core::DebugSection &section : debug)
      if (section.name.starts_with(".debug_line"))
        section.content[random() % section.content.size()] = static_cast<char>(random());
    (void)line_rows(debug);
  }
}

TEST(LineRowsTest, NamesWithoutAFormatAreNotRead) {
  const auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
  };
  std::string header("\x01\x01\x01\xfb\x0e\x0a", 6); // of the line program
  header += std::string(9, '\0');                    // the numbers of operands
  header += '\0';                                    // no format of directories,
  header += std::string(8, '\xff') + "\x7f";         // of which there are 2^63 - 1
  header += "x";                                     // more follows
  const std::string unit = bytes(std::uint16_t{5}) + bytes(std::uint8_t{8}) +
                           bytes(std::uint8_t{0}) +
                           bytes(static_cast<std::uint32_t>(header.size())) + header;
  core::DebugSection section;
  section.name = ".debug_line";
  section.content = bytes(static_cast<std::uint32_t>(unit.size())) + unit;
  EXPECT_TRUE(line_rows({section}).empty());
}

TEST(LineRowsTest, AnImageIsStoredWithItsLines) {
  const core::CodeImage image = image_of(kText, "f");
  const auto again = core::unpack_image(core::pack_image(image));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->debug, image.debug);
}

TEST(LineRowsTest, ARenamedFunctionHasItsNameForDebuggers) {
  core::CodeImage image = image_of(kText, "f");
  const auto before = static_cast<std::uint32_t>(content_of(image, ".debug_str").size());
  core::rename(image, "f{x=1,y=22}");
  const std::string &offsets = content_of(image, ".debug_str_offsets");
  const std::string number(reinterpret_cast<const char *>(&before), sizeof before);
  EXPECT_NE(offsets.find(number), std::string::npos);
  EXPECT_STREQ(content_of(image, ".debug_str").data() + before, "f{x=1,y=22}");
}

TEST(LineRowsTest, TheFramesOfAFunctionPointToIt) {
  const core::CodeImage image = image_of(kText, "f");
  const core::Function &function = image.functions.front();
  const FunctionFrames frames = function_frames(image, function);
  ASSERT_GT(frames.header_bytes, 0U);
  const std::int64_t table = static_cast<std::int64_t>(function.bytes + 7) / 8 * 8;
  const auto header = static_cast<std::int64_t>(frames.bytes.size() - frames.header_bytes);
  const auto number_at = [&](std::int64_t at) {
    std::int32_t number = 0;
    std::memcpy(&number, frames.bytes.data() + at, sizeof number);
    return std::int64_t{number};
  };
  EXPECT_EQ(header + 4 + number_at(header + 4), 0);      // the table
  EXPECT_EQ(table + header + number_at(header + 12), 0); // the function
  const std::int64_t entry = header + number_at(header + 16);
  EXPECT_EQ(entry + 4 - number_at(entry + 4), 0); // what is common to all functions
  EXPECT_EQ(table + entry + 8 + number_at(entry + 8), 0);
}

TEST(LineRowsTest, AFunctionWithoutFramesHasNone) {
  core::CodeImage image = image_of(kText, "f");
  image.unwind_bytes = 0;
  EXPECT_TRUE(function_frames(image, image.functions.front()).bytes.empty());
}

TEST(KeptLinesTest, AreLimited) {
  core::CodeImage image;
  image.debug = {{".debug_line", std::string(600'000, 'x'), {}}};
  std::optional<KeptLines> first(image);
  EXPECT_TRUE(first->are_kept());
  EXPECT_FALSE(KeptLines(image).are_kept()) << "or this test is traced";
  first.reset();
  EXPECT_TRUE(KeptLines(image).are_kept());
}

} // namespace
} // namespace sartor::runtime
