// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/readable_name.h"

#include <gtest/gtest.h>

namespace sartor::core {
namespace {

TEST(ReadableName, OfACFunctionIsItsSymbol) {
  EXPECT_EQ(readable_name("c_handler"), "c_handler");
  EXPECT_EQ(readable_name(""), "");
}

TEST(ReadableName, OfAFunctionInRustHasNoHash) {
  EXPECT_EQ(readable_name("_ZN8handlers4find17h161052d861cb4863E"), "handlers::find");
  EXPECT_EQ(readable_name("_ZN4core6option15Option$LT$T$GT$6map_or17h3b81ceb5811dbccfE"),
            "core::option::Option<T>::map_or");
  EXPECT_EQ(readable_name("_ZN91_$LT$core..slice..iter..Iter$LT$T$GT$$u20$as$u20$core..iter..traits"
                          "..iterator..Iterator$GT$4next17ha8b8adc054e552feE"),
            "<core::slice::iter::Iter<T> as core::iter::traits::iterator::Iterator>::next");
  EXPECT_EQ(readable_name("_ZN5names10h_and_more17h161052d861cb486xE"),
            "_ZN5names10h_and_more17h161052d861cb486xE");
}

TEST(ReadableName, HasNoParameters) { EXPECT_EQ(readable_name("_Z5scalemmj"), "scale"); }

TEST(ReadableName, HasItsNamespaces) {
  EXPECT_EQ(readable_name("_ZN5names10overloadedEl"), "names::overloaded");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_16hiddenEii"), "(anonymous namespace)::hidden");
}

TEST(ReadableName, HasTemplateArgumentsButNoReturnType) {
  EXPECT_EQ(readable_name("_Z5twiceIiET_S0_i"), "twice<int>");
  EXPECT_EQ(readable_name("_Z5applyIXadL_Z6negateiEEEii"), "apply<&negate(int)>");
}

TEST(ReadableName, IsWrittenAsInTheSource) {
  EXPECT_EQ(readable_name("_ZN1sI1tIiEE1fEv"), "s<t<int>>::f");
  EXPECT_EQ(readable_name("_ZNK1scviEv"), "s::operator int");
  EXPECT_EQ(readable_name("_ZNKR1sclEi"), "s::operator()");
  EXPECT_EQ(readable_name("_Z5tableIiEPFicET_"), "table<int>"); // it returns a function pointer
  EXPECT_EQ(readable_name("_Z8variableIiE"), "_Z8variableIiE");
}

TEST(ReadableName, HasNoSuffixOfThePlugins) {
  EXPECT_EQ(readable_name("_ZL14static_handlerii.sartor.ff65b61759d39508"), "static_handler");
  EXPECT_EQ(readable_name("in_c.sartor.ff65b61759d39508"), "in_c");
}

} // namespace
} // namespace sartor::core
