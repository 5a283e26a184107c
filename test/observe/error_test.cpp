// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/error.hpp>

#include <gtest/gtest.h>
#include <set>

namespace sartor {
namespace {

TEST(ErrorCode, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 1; code <= static_cast<int>(ErrorCode::kLast); ++code)
    names.insert(to_string(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::kLast));
}

TEST(Failure, TextHasAllParts) {
  EXPECT_EQ((Failure{ErrorCode::unknown_label, "Bx", "no point has it", "try \"B\""}).text(),
            "unknown_label: \"Bx\": no point has it (try \"B\")");
}

TEST(Failure, TextLeavesEmptyPartsOut) {
  EXPECT_EQ((Failure{ErrorCode::bad_bitcode, "", "truncated", ""}).text(),
            "bad_bitcode: truncated");
}

TEST(Failure, TextIsOneLine) {
  EXPECT_EQ((Failure{ErrorCode::broken_by_pass, "", "a\nb", ""}).text(), "broken_by_pass: a b");
}

TEST(Error, CarriesItsFailure) {
  const Failure failure{ErrorCode::file_error, "x.bc", "not there", ""};
  const Error error(failure);
  EXPECT_EQ(error.failure(), failure);
  EXPECT_EQ(error.code(), ErrorCode::file_error);
  EXPECT_EQ(error.what(), failure.text());
}

} // namespace
} // namespace sartor
