// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/function_code.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::loader {
namespace {

using Kind = Displacement::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::byte> bytes(std::initializer_list<unsigned> values) {
  std::vector<std::byte> result;
  for (const unsigned value : values)
    result.push_back(static_cast<std::byte>(value));
  return result;
}

std::expected<FunctionCode, const char *> follow(std::initializer_list<unsigned> code,
                                                 std::vector<std::uint64_t> entries = {}) {
  const auto all = bytes(code);
  return follow_function(all, entries);
}

std::string why_not(std::initializer_list<unsigned> code, std::vector<std::uint64_t> entries = {}) {
  const auto result = follow(code, std::move(entries));
  return result ? "" : result.error();
}

TEST(FunctionCode, HasTheDisplacementsThatLeadOutOfIt) {
  const auto code = follow({0x48, 0x8d, 0x05, 1, 0, 0, 0, // lea 1(%rip), %rax
                            0xe8, 0x42, 0,    0, 0,       // call, beyond the end
                            0x0f, 0x84, 0x43, 0, 0, 0,    // je, beyond the end
                            0x74, 0x01,                   // je, in the function
                            0x90,                         // nop
                            0x80, 0x3d, 4,    0, 0, 0, 5, // cmpb $5, 4(%rip)
                            0xe9, 0x80, 0,    0, 0});     // jmp
  ASSERT_TRUE(code) << code.error();
  EXPECT_THAT(code->displacements,
              ElementsAre(Displacement{3, 7, Kind::operand}, Displacement{8, 12, Kind::call},
                          Displacement{14, 18, Kind::jump}, Displacement{23, 28, Kind::operand},
                          Displacement{29, 33, Kind::jump}));
  EXPECT_FALSE(code->ends_with_call);
  EXPECT_FALSE(code->has_indirect_branch);
}

TEST(FunctionCode, ReturnsBehindItAfterALastCall) {
  const auto code = follow({0x90, 0xe8, 0x10, 0, 0, 0});
  ASSERT_TRUE(code) << code.error();
  EXPECT_TRUE(code->ends_with_call);
}

TEST(FunctionCode, MayCallItself) {
  const auto code = follow({0xe8, 0xfb, 0xff, 0xff, 0xff, 0xc3});
  ASSERT_TRUE(code) << code.error();
  EXPECT_THAT(code->displacements, ElementsAre(Displacement{1, 5, Kind::call}));
}

TEST(FunctionCode, IsReachedByBranchesAndEntriesOnly) {
  const auto code = follow({0xeb, 0x02, // jmp
                            0xff, 0xff, // data
                            0xff, 0xe0, // jmp *%rax
                            0x06,       // no instruction
                            0xc3},      // ret
                           {7});
  ASSERT_TRUE(code) << code.error();
  EXPECT_THAT(code->is_reached, ElementsAre(true, true, false, false, true, true, false, true));
  EXPECT_TRUE(code->has_indirect_branch);
}

TEST(FunctionCode, MayJumpOverAPrefix) {
  const auto code = follow({0x74, 0x01,                               // je
                            0xf0, 0x48, 0x0f, 0xb1, 0x0d, 1, 0, 0, 0, // lock cmpxchg %rcx, 1(%rip)
                            0xc3});
  ASSERT_TRUE(code) << code.error();
  EXPECT_THAT(code->displacements, ElementsAre(Displacement{7, 11, Kind::operand}));
}

TEST(FunctionCode, IsLeftOutIfItsMeaningDependsOnItsPosition) {
  EXPECT_EQ(why_not({0x90}), "that run on into the next one");
  EXPECT_EQ(why_not({0x74, 0x00, 0xff, 0xff}), "with bytes that are no instructions");
  EXPECT_EQ(why_not({0xeb, 0x10}), "with short branches out of them");
  EXPECT_EQ(why_not({0xe8, 1, 0, 0, 0, 0x90, 0x58, 0xc3}), "that compute with their own position");
  EXPECT_EQ(why_not({0x67, 0x8d, 0x05, 1, 0, 0, 0, 0xc3}), "that compute with their own position");
  EXPECT_EQ(why_not({0x74, 0x01, 0xb8, 0x90, 0x90, 0x90, 0xc3, 0xc3}),
            "with branches into an instruction");
  EXPECT_EQ(why_not({0xc3}, {1}), "with landing pads outside of them");
  EXPECT_EQ(why_not({0xc6, 0xf8, 0x01, 0xc3}), "with branches of an unknown kind") << "xabort";
}

/// A `switch`; the table is 100 bytes after its begin.
std::vector<std::byte> switching() {
  return bytes({0x83, 0xff, 0x01,                // 0: cmp $1, %edi
                0x77, 0x13,                      // 3: ja 24
                0x48, 0x8d, 0x15, 0x58, 0, 0, 0, // 5: lea 100, %rdx
                0x89, 0xf8,                      // 12: mov %edi, %eax
                0x48, 0x63, 0x04, 0x82,          // 14: movslq (%rdx,%rax,4), %rax
                0x48, 0x01, 0xd0,                // 18: add %rdx, %rax
                0x3e, 0xff, 0xe0,                // 21: notrack jmp *%rax
                0xb8, 1,    0,    0,    0,       // 24: mov $1, %eax
                0xc3,                            // 29: ret
                0xb8, 2,    0,    0,    0,       // 30: mov $2, %eax
                0xc3});                          // 35: ret
}

std::expected<FunctionCode, const char *> follow_table(const std::vector<std::byte> &code,
                                                       std::vector<std::int32_t> entries = {
                                                           30 - 100, 500}) {
  return follow_function(code, {}, [&](std::int64_t offset, std::uint32_t count) {
    EXPECT_EQ(offset, 100);
    EXPECT_EQ(count, 2U);
    return std::optional(entries);
  });
}

TEST(FunctionCode, JumpsThroughTables) {
  const auto code = follow_table(switching());
  ASSERT_TRUE(code) << code.error();
  ASSERT_EQ(code->tables.size(), 1U);
  EXPECT_EQ(code->tables[0].displacement, (Displacement{8, 12, Kind::operand}));
  EXPECT_EQ(code->tables[0].offset, 100);
  EXPECT_THAT(code->tables[0].entries, ElementsAre(30 - 100, 500));
  EXPECT_THAT(code->displacements, IsEmpty());
  EXPECT_TRUE(code->is_reached[30]);
}

/// Without the table, the jump leads into the original.
void expect_no_table(const std::vector<std::byte> &code, const char *why,
                     std::vector<std::int32_t> entries = {30 - 100, 500}) {
  const auto followed = follow_table(code, std::move(entries));
  ASSERT_TRUE(followed) << followed.error();
  EXPECT_THAT(followed->tables, IsEmpty()) << why;
  EXPECT_THAT(followed->displacements, testing::Contains(Displacement{8, 12, Kind::operand}))
      << why;
}

TEST(FunctionCode, LeavesDoubtfulTablesToTheOriginal) {
  auto changed = [](std::size_t at, unsigned value) {
    auto code = switching();
    code[at] = static_cast<std::byte>(value);
    return code;
  };
  expect_no_table(changed(1, 0xfe), "compares another register");
  expect_no_table(changed(3, 0x7f), "compares signed");
  expect_no_table(changed(4, 0x07), "branches into the sequence");
  expect_no_table(changed(17, 0x42), "reads with another scale");
  expect_no_table(changed(20, 0xc8), "adds something else");
  expect_no_table(changed(13, 0xd0), "uses the table's address as index");
  auto reads_base = switching(); // mov %edx, %eax; nop
  const auto use = bytes({0x89, 0xd0, 0x90, 0x90, 0x90});
  std::ranges::copy(use, reads_base.begin() + 30);
  expect_no_table(reads_base, "uses the table's address later");
  expect_no_table(switching(), "leads into an instruction", {31 - 100, 30 - 100});
  expect_no_table(switching(), "leads into itself", {12 - 100, 30 - 100});
  const auto unknown = follow_function(switching(), {}, [](std::int64_t, std::uint32_t) {
    return std::optional<std::vector<std::int32_t>>();
  });
  ASSERT_TRUE(unknown);
  EXPECT_THAT(unknown->tables, IsEmpty());
}

TEST(BranchesOut, IncludeThoseThatOnlyIndirectJumpsReach) {
  const auto code = bytes({0xff, 0xe0,                // jmp *%rax
                           0xe8, 0x20, 0, 0, 0,       // call
                           0x0f, 0x85, 0x20, 0, 0, 0, // jne
                           0xeb, 0xf1});              // jmp, to the begin
  EXPECT_THAT(branches_out_of(code),
              ElementsAre(Displacement{3, 7, Kind::call}, Displacement{9, 13, Kind::jump}));
  EXPECT_EQ(target_of(code, {3, 7, Kind::call}), 39);
}

TEST(BranchesOut, AreUnknownIfBytesMayBeData) {
  EXPECT_THAT(branches_out_of(bytes({0xe8, 0x20, 0, 0, 0, 0x06, 0xc3})), IsEmpty());
  EXPECT_THAT(branches_out_of(bytes({0x74, 0x01, 0xb8, 0, 0, 0, 0, 0xe8, 0x20, 0, 0, 0})),
              IsEmpty());
}

} // namespace
} // namespace sartor::loader
