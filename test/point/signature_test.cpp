// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/signature.h"

#include <gtest/gtest.h>

#include "core/space/place.h"

namespace sartor::core {
namespace {

using Class = PointType::Class;

Parameter scalar(PointType type, unsigned bytes, unsigned argument) {
  Parameter parameter;
  parameter.kind = Parameter::Kind::scalar;
  parameter.type = type;
  parameter.bytes = bytes;
  parameter.pieces = {{argument, 0, bytes}};
  return parameter;
}

Parameter object(unsigned bytes, std::vector<Piece> pieces,
                 Parameter::Passing passing = Parameter::Passing::direct) {
  Parameter parameter;
  parameter.kind = Parameter::Kind::object;
  parameter.bytes = bytes;
  parameter.passing = passing;
  parameter.pieces = std::move(pieces);
  return parameter;
}

Signature example() {
  Signature signature;
  signature.arguments = 6;
  signature.result = object(40, {{0, 0, 40}}, Parameter::Passing::address);
  Parameter crowded = object(16, {{4, 0, 16}}, Parameter::Passing::copy);
  crowded.depends_on_others = true;
  signature.parameters = {scalar({Class::integer, 32, true}, 4, 1),
                          object(12, {{2, 0, 8}, {3, 8, 4}}), object(1, {}), crowded,
                          scalar({Class::boolean, 1, false}, 1, 5)};
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
  for (const Place &place : {Place{"table", 0}, Place{"table", 32}, Place{"table", -8}}) {
    EXPECT_EQ(to_place(text_of(place)).symbol, place.symbol);
    EXPECT_EQ(to_place(text_of(place)).offset, place.offset);
  }
  EXPECT_EQ(to_place("a-b").symbol, "a-b");
  EXPECT_EQ(to_place("a+").symbol, "a+");
  EXPECT_EQ(to_place("+5").symbol, "+5");
}

} // namespace
} // namespace sartor::core
