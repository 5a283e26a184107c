// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/call_frame.h"

#include <gtest/gtest.h>
#include <vector>

namespace sartor::loader::unwind {
namespace {

bool is_independent(std::initializer_list<unsigned> instructions) {
  std::vector<std::byte> bytes;
  for (const unsigned value : instructions)
    bytes.push_back(static_cast<std::byte>(value));
  return is_independent_of_position(Cursor(bytes, 0));
}

TEST(CallFrame, IsTheSameForACopyWithoutAddresses) {
  EXPECT_TRUE(is_independent({}));
  EXPECT_TRUE(is_independent({0x41, 0x0e, 0x10, 0x86, 0x02, 0x0d, 0x06, 0x02, 0x30, 0x0a, 0xc6,
                              0x0b, 0x0c, 0x07, 0x08, 0x00}));
  // DW_CFA_expression of rbx: breg6 -24, deref, plus_uconst 300.
  EXPECT_TRUE(is_independent({0x10, 0x03, 0x06, 0x76, 0x68, 0x06, 0x23, 0xac, 0x02}));
}

TEST(CallFrame, DependsOnThePositionWithAddresses) {
  EXPECT_FALSE(is_independent({0x01, 0, 0, 0, 0, 0, 0, 0, 0})) << "DW_CFA_set_loc";
  EXPECT_FALSE(is_independent({0x0f, 0x09, 0x03, 0, 0, 0, 0, 0, 0, 0, 0})) << "DW_OP_addr";
  // The expression in tables of stubs: breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus.
  EXPECT_FALSE(is_independent(
      {0x0f, 0x0b, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}));
  EXPECT_FALSE(is_independent({0x3f})) << "unknown";
}

TEST(CallFrame, MayBeCutOff) {
  EXPECT_THROW(is_independent({0x0e}), CutOff);
  EXPECT_THROW(is_independent({0x0f, 0x20, 0x06}), CutOff);
  EXPECT_THROW(is_independent({0x04, 0, 0}), CutOff);
}

} // namespace
} // namespace sartor::loader::unwind
