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
