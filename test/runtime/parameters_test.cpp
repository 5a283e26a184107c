// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Source parameters, and types of points in terms of the source.
#include <cstring>
#include <optional>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/passed.h"
#include "handlers/routes.h"

namespace {

using sartor::_;
using sartor::BoundArgument;
using sartor::ErrorCode;
using testing::ElementsAre;
using testing::EndsWith;

template <class Binding> Binding waited(Binding binding) {
  binding.wait();
  return binding;
}

TEST(Parameters, BesideSplitOrDroppedOnesAreBoundWhereTheyAre) {
  sartor::Runtime runtime;
  EXPECT_EQ(waited(runtime.bind<&count>(_, 'a'))("banana"), 3);
  EXPECT_EQ(waited(runtime.bind<&of_two>(_, 7))(Two{1, 2}), 127);
  const __int128 wide = __int128{1} << 64 | 2;
  EXPECT_EQ(waited(runtime.bind<&of_wide>(_, 7))(wide), 127);
  EXPECT_EQ(waited(runtime.bind<&after_empty>(_, 3, _))(Empty{}, 4), 34);
  const _Complex double z = {1, 2};
  EXPECT_EQ(waited(runtime.bind<&of_complex>(_, 7.0))(z), 127);
}

TEST(Parameters, ThatAreObjectsAreBoundToo) {
  sartor::Runtime runtime;
  EXPECT_EQ(waited(runtime.bind<&count>("banana", _))('n'), 2);
  EXPECT_EQ(waited(runtime.bind<&of_two>(Two{1, 2}, _))(7), 127);
  EXPECT_EQ(waited(runtime.bind<&of_wide>(__int128{1} << 64 | 2, _))(7), 127);
  EXPECT_EQ(waited(runtime.bind<&after_empty>(Empty{}, _, _))(3, 4), 34);
  const _Complex double z = {1, 2};
  EXPECT_EQ(waited(runtime.bind<&of_complex>(z, _))(7), 127);
}

TEST(Parameters, ThatAreEqualButForTheirPaddingShareAVariant) {
  sartor::Runtime runtime;
  Padded first;
  Padded second;
  std::memset(&first, 0, sizeof first);
  std::memset(&second, 0xFF, sizeof second);
  first.a = second.a = 1;
  first.b = second.b = 2;
  EXPECT_EQ(waited(runtime.bind<&of_padded>(first, _))(7), 127);
  const auto compiles = runtime.statistics().compiles;
  EXPECT_EQ(waited(runtime.bind<&of_padded>(second, _))(7), 127);
  EXPECT_EQ(runtime.statistics().compiles, compiles);
}

TEST(Parameters, PointersInBoundObjectsLeadToInvariantMemory) {
  sartor::Runtime runtime;
  std::string text = "a text that is long enough";
  sartor::Invariant invariant(text.data(), text.size());
  const auto bound = runtime.bind<&count>(std::string_view(text), 'e');
  EXPECT_EQ(waited(bound)(), 2);
  invariant.invalidate();
  EXPECT_EQ(runtime.statistics().replugs, 1U);
  text[0] = 'e';
  EXPECT_EQ(bound(), 3);
}

TEST(Parameters, AreBoundByNameAsTheSourceCountsThem) {
  sartor::Runtime runtime;
  const std::map<unsigned, BoundArgument> third{{2, 4}};
  auto share = runtime.bind("after_empty", third);
  share.wait();
  EXPECT_EQ(reinterpret_cast<long (*)(Empty, long)>(share.function(third))({}, 3), 34);
  EXPECT_EQ(failing([&] { (void)runtime.bind("after_empty", {{3, 4}}); }), ErrorCode::bad_binding);
}

TEST(Parameters, KnowTheirSigns) {
  sartor::Runtime runtime;
  EXPECT_EQ(failing([&] { (void)runtime.bind("of_unsigned", {{0, -1}}); }), ErrorCode::bad_binding);
  EXPECT_EQ(failing([&] { (void)runtime.bind("of_unsigned", {{1, -1}}); }), ErrorCode::bad_binding);
  EXPECT_EQ(failing([&] { (void)runtime.bind("of_unsigned", {{2, 0x80000000U}}); }),
            ErrorCode::bad_binding);
  EXPECT_EQ(
      failing([&] { (void)runtime.bind("of_unsigned", {{0, 0xFFFFFFFFU}, {1, ~0ULL}, {2, -1}}); }),
      std::nullopt);
}

TEST(Parameters, ThatRunCodeWhenCopiedAreRefused) {
  sartor::Runtime runtime;
  const long n = 5;
  expect_error(
      [&] { (void)runtime.bind("of_counted", {{0, BoundArgument::object(&n, sizeof n)}}); },
      ErrorCode::bad_binding, "of_counted", "runs code", "reference");
  EXPECT_EQ(waited(runtime.bind<&of_counted>(_, 7))(Counted(3)), 37);
}

TEST(Parameters, OfAnotherSizeOrKindAreRefused) {
  sartor::Runtime runtime;
  const int small = 1;
  expect_error([&] { (void)runtime.bind("of_two", {{0, BoundArgument::object(&small, 4)}}); },
               ErrorCode::bad_binding, "of_two", "16 bytes", "type");
  expect_error([&] { (void)runtime.bind("of_two", {{0, 5}}); }, ErrorCode::bad_binding, "of_two",
               "an object of 16 bytes", "bytes");
}

TEST(Parameters, OfMembersBeginWithTheObject) {
  sartor::Runtime runtime;
  const Scale scale(3);
  const auto handler = runtime.handler<&Scale::times>();
  EXPECT_EQ(handler(&scale, 2, Two{5, 1}), 33);
  EXPECT_EQ(waited(runtime.bind<&Scale::times>(&scale, _, Two{5, 1}))(2), 33);
  EXPECT_EQ(waited(runtime.bind<&Scale::times>(_, 2, _))(&scale, Two{5, 1}), 33);
  EXPECT_EQ(waited(runtime.bind<&Scale::plus>(_, 2, _))(Empty{}, 5), 25);
  EXPECT_EQ(failing([&] { (void)runtime.handler<&Scale::often>(); }), ErrorCode::unknown_handler);
}

TEST(Parameters, OfTemplatesAreThoseOfTheirInstances) {
  sartor::Runtime runtime;
  EXPECT_EQ(waited(runtime.bind<&passed::weighed<long>>(_, 2, _))(Two{3, 4}, 5), 26);
  EXPECT_EQ(waited(runtime.bind<&passed::weighed<double>>(Two{3, 4}, 0.5, _))(5), 21.5);
}

TEST(TemplateHandler, HasPointsOfItsOwnTypeUnderLabelsThatDependOnIt) {
  sartor::Runtime runtime;
  EXPECT_EQ(runtime.space().find("doubled.long")->type.text(), "i64");
  EXPECT_EQ(runtime.space().find("doubled.double")->type.text(), "f64");
  const auto whole = runtime.handler<&passed::doubled<long>>();
  const auto real = runtime.handler<&passed::doubled<double>>();
  runtime.specialize({{"doubled.long", 3}, {"doubled.double", 0.5}});
  EXPECT_EQ(whole(3), 6);
  EXPECT_EQ(whole(4), 8);
  EXPECT_EQ(real(0.5), 1.0);
  EXPECT_EQ(real(4), 8.0);
}

TEST(HandlerByName, OfAnotherTypeIsRefused) {
  sartor::Runtime runtime;
  expect_error([&] { (void)runtime.handler<long(Two)>("of_two"); }, ErrorCode::wrong_signature,
               "of_two", "has 2 parameters, not 1", "source");
  expect_error([&] { (void)runtime.handler<long(Two, int)>("of_two"); }, ErrorCode::wrong_signature,
               "of_two", "parameter 1 is i64, not an integer of 32 bits", "source");
  expect_error([&] { (void)runtime.handler<long(Two, __int128)>("of_two"); },
               ErrorCode::wrong_signature, "of_two", "parameter 1 is i64, not a value of 16 bytes",
               "source");
  expect_error([&] { (void)runtime.handler<long(const Two &, long)>("of_two"); },
               ErrorCode::wrong_signature, "of_two", "parameter 0 is an object of 16 bytes", "");
  expect_error([&] { (void)runtime.handler<double(Two, long)>("of_two"); },
               ErrorCode::wrong_signature, "of_two", "its result is i64, not f64", "");
  EXPECT_EQ(runtime.handler<long(Two, unsigned long)>("of_two")({1, 2}, 7), 127);
  EXPECT_EQ(runtime.handler<long(__int128, long)>("of_wide")(2, 7), 27);
  EXPECT_EQ(runtime.handler<long(std::string_view, int)>("count")("a", 'a'), 1);
  const Scale scale(2);
  EXPECT_EQ(runtime.handler<long(const Scale *, long, Two)>("Scale::times")(&scale, 1, {1, 1}), 4);
}

TEST(Binding, MayOutliveItsRuntime) {
  std::optional<sartor::Runtime> runtime(std::in_place);
  const Routes routes = some_routes(5);
  const auto bound = runtime->bind<&forward>(&routes, _, 7);
  bound.wait();
  runtime.reset();
  EXPECT_EQ(bound(20U), 3007U);
  bound.wait();
}

TEST(SignedEnumeration, IsSetToNegativeEnumerators) {
  sartor::Runtime runtime;
  EXPECT_THAT(runtime.space().find("mood")->choices, ElementsAre(-1, 1, 2));
  const auto mood = runtime.handler<&by_mood>();
  const auto old = runtime.handler<&by_old_mood>();
  runtime.specialize({{"mood", Mood::none}, {"old_mood", minus}});
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(mood(Mood::none), 1);
    EXPECT_EQ(mood(Mood::good), 2);
    EXPECT_EQ(old(minus), 1);
    EXPECT_EQ(old(plus), 2);
    runtime.specialize({{"mood", sartor::any_of({Mood::none, Mood::bad})}, {"old_mood", -1}});
  }
  EXPECT_EQ(failing([&] { runtime.specialize({{"mood", 4294967295U}}); }),
            ErrorCode::bad_value_type);
}

TEST(SignedEnumeration, IsSeenWithItsSign) {
  sartor::Runtime runtime;
  runtime.instrument({{"mood", 1}, {"old_mood", 1}});
  runtime.handler<&by_mood>()(Mood::none);
  runtime.handler<&by_old_mood>()(minus);
  const sartor::Profile profile = runtime.profile();
  EXPECT_EQ(profile.find("mood")->entries.front().inputs.front(), sartor::Value(-1));
  EXPECT_EQ(profile.find("old_mood")->entries.front().inputs.front(), sartor::Value(-5));
}

TEST(Points, OfAnyNumberOfBitsAndOfBoolEnumerationsKnowTheirValues) {
  sartor::Runtime runtime;
  const auto bits = runtime.handler<&by_bits>();
  const auto yes = runtime.handler<&by_yes>();
  EXPECT_EQ(runtime.space().find("yes")->type.text(), "bool");
  runtime.specialize({{"bits", -1}, {"yes", false}});
  EXPECT_EQ(bits(-1), 1);
  EXPECT_EQ(bits(3), 2);
  EXPECT_EQ(yes(Yes::no), 1);
  EXPECT_EQ(yes(Yes::yes), 2);
}

TEST(PlacesInObjects, AreChoicesOfTheirOwn) {
  sartor::Runtime runtime;
  const auto choices = runtime.space().find("row")->values();
  ASSERT_EQ(choices.size(), 4U);
  EXPECT_THAT(choices[1].symbol(), EndsWith("+32"));
  EXPECT_THAT(choices[3].symbol(), EndsWith("+96"));
  const auto row = runtime.handler<&of_row>();
  for (long i = 0; i < 4; ++i) {
    runtime.specialize({{"row", choices[static_cast<std::size_t>(i)]}});
    const auto failures = runtime.statistics().guard_failures["row"];
    EXPECT_EQ(row(i), i + 1);
    EXPECT_EQ(runtime.statistics().guard_failures["row"], failures);
    EXPECT_EQ(row(i + 1), (i + 1) % 4 + 1);
    EXPECT_EQ(runtime.statistics().guard_failures["row"], failures + 1);
  }
  runtime.instrument({{"row", 1}});
  row(2);
  EXPECT_EQ(runtime.profile().find("row")->entries.front().inputs.front(), choices[2]);
}

TEST(PlacesInObjects, AreNotNull) {
  sartor::Runtime runtime;
  EXPECT_THAT(runtime.space().find("row_or_none")->choices, ElementsAre("rows+96", 0));
  const auto row = runtime.handler<&of_row_or_none>();
  for (const auto &setting : {sartor::Setting(0), sartor::unguarded(0)}) {
    runtime.specialize({{"row_or_none", setting}});
    EXPECT_EQ(row(nullptr), -1);
  }
  runtime.specialize({{"row_or_none", sartor::unguarded("rows+96")}});
  EXPECT_EQ(row(&rows[3][0]), 4);
}

TEST(CallPoints, OfFunctionsThatAreReplacedByOtherCodeWork) {
  sartor::Runtime runtime;
  const auto is_digit = runtime.handler<&digit>();
  const auto look = runtime.handler<&looked_up>();
  const int numbers[8] = {2, 0, 4, 5, 6, 7, 8, 9};
  runtime.instrument({{"digit", 1}, {"looked_up", 1}});
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(is_digit('0' + i), i < 10);
    EXPECT_EQ(look(numbers, i), numbers[i & 7] * 3);
  }
  runtime.instrument({});
  runtime.specialize({{"looked_up", 4}});
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(look(numbers, i), numbers[i & 7] * 3);
}

TEST(CallPoints, KnowTheTypesOfTheirArguments) {
  sartor::Runtime runtime;
  const std::vector<sartor::PointType> arguments = runtime.space().find("signs")->arguments;
  ASSERT_EQ(arguments.size(), 3U);
  EXPECT_EQ(arguments[0].text(), "i32");
  EXPECT_EQ(arguments[1].text(), "u32");
  EXPECT_EQ(arguments[2].text(), "i32");
  runtime.instrument({{"signs", 1}});
  runtime.handler<&of_signs>()(-7, ~0U, Mood::none);
  EXPECT_THAT(runtime.profile().find("signs")->entries.front().inputs,
              ElementsAre(-7, 4294967295U, -1));
}

TEST(BitFields, AreInPointsWhatTheyAreWithout) {
  const Bits bits{3, 3, -2, 0xFFFFFFFFFFULL};
  int plain = 0;
  plain |= bits.a - 10 < 0 ? 1 : 0;
  plain |= bits.b - 10 < 0 ? 2 : 0;
  plain |= bits.c - 3 < 0 ? 4 : 0;
  plain |= bits.d << 30 >> 30 != bits.d ? 8 : 0;
  EXPECT_EQ(of_bits(bits), plain);
  EXPECT_EQ(c_of_bits(&bits), 7 | (bits.d << 30 >> 30 != bits.d ? 8 : 0));
  sartor::Runtime runtime;
  const auto specialized = runtime.handler<&of_bits>();
  const auto in_c = runtime.handler<&c_of_bits>();
  runtime.specialize({{"bits.a", 3},
                      {"bits.b", 3},
                      {"bits.c", -2},
                      {"c_bits.a", 3},
                      {"c_bits.b", 3},
                      {"c_bits.c", -2}});
  EXPECT_EQ(specialized(bits), plain);
  EXPECT_EQ(in_c(&bits), c_of_bits(&bits));
}

TEST(VariableLengthTypes, AreEvaluatedOnce) { EXPECT_EQ(c_evaluations(6), 1024); }

} // namespace
