// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/signature.h"

#include <gtest/gtest.h>

#include "point/place.h"

namespace sartor::point {
namespace {

using Class = PointType::Class;

Parameter scalar(PointType type, unsigned bytes, unsigned argument) {
  return {.kind = Parameter::Kind::scalar,
          .type = type,
          .bytes = bytes,
          .pieces = {{argument, 0, bytes}}};
}

Signature example() {
  Signature signature;
  signature.arguments = 6;
  signature.result = {.kind = Parameter::Kind::object,
                      .bytes = 40,
                      .passing = Parameter::Passing::address,
                      .pieces = {{0, 0, 40}}};
  signature.parameters = {
      scalar({Class::integer, 32, true}, 4, 1),
      {.kind = Parameter::Kind::object, .bytes = 12, .pieces = {{2, 0, 8}, {3, 8, 4}}},
      {.kind = Parameter::Kind::object, .bytes = 1},
      {.kind = Parameter::Kind::object,
       .bytes = 16,
       .passing = Parameter::Passing::copy,
       .depends_on_others = true,
       .pieces = {{4, 0, 16}}},
      scalar({Class::boolean, 1, false}, 1, 5),
  };
  return signature;
}

TEST(Signature, IsReadBackAsItWas) {
  EXPECT_EQ(to_signature(to_text(example())), example());
  EXPECT_EQ(to_signature(to_text(Signature())), Signature());
}

TEST(Signature, IsNoneWhereTheTextIsDamaged) {
  const std::string text = to_text(example());
  EXPECT_FALSE(to_signature(""));
  for (std::size_t end = 1; end < text.size(); ++end)
    if (text[end] != ';' && !text.substr(0, end).ends_with('=') &&
        !text.substr(0, end).ends_with('!') && !text.substr(0, end).ends_with(' '))
      EXPECT_FALSE(to_signature(text.substr(0, end))) << text.substr(0, end);
  EXPECT_FALSE(to_signature("1;v0,0,d=;s32,4,d=1@0:4 ")) << "there is no argument 1";
  EXPECT_FALSE(to_signature("1;v0,0,d=;q32,4,d=0@0:4 "));
}

TEST(Place, NamesWhatIsBehindASymbol) {
  EXPECT_EQ(text_of(Place{"table", 0}), "table");
  EXPECT_EQ(text_of(Place{"table", 32}), "table+32");
  EXPECT_EQ(text_of(Place{"table", -8}), "table-8");
  for (const Place place : {Place{"table", 0}, Place{"table", 32}, Place{"table", -8}}) {
    EXPECT_EQ(to_place(text_of(place)).symbol, place.symbol);
    EXPECT_EQ(to_place(text_of(place)).offset, place.offset);
  }
  EXPECT_EQ(to_place("a-b").symbol, "a-b");
  EXPECT_EQ(to_place("a+").symbol, "a+");
  EXPECT_EQ(to_place("+5").symbol, "+5");
}

} // namespace
} // namespace sartor::point
