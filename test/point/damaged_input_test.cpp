// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties that the fuzzers check, on a fixed set of inputs.
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sartor/configuration.hpp>
#include <sartor/constraints.hpp>
#include <sartor/error.hpp>
#include <sartor/profile.hpp>

#include "compiler/frontend/section.h"
#include "core/cache/stored_image.h"
#include "fuzz/section_input.h"
#include "fuzz/stored_input.h"
#include "fuzz/text_input.h"

namespace sartor {
namespace {

/// Passes `whole` with a few bytes changed, cut or duplicated to `look`, many times; returns how
/// many of these inputs are accepted.
int taken_of_damaged(const std::string &whole, const std::function<bool(std::string_view)> &look) {
  std::mt19937_64 random(1);
  constexpr std::string_view telling("\0\x7f\x80\xff\"{}[]:,\\0e-", 15);
  int taken = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 1 + round % 3; ++i)
      bytes[random() % bytes.size()] =
          round % 2 == 0 ? static_cast<char>(random() % 256) : telling[random() % telling.size()];
    if (round % 20 == 0)
      bytes.resize(random() % bytes.size());
    if (round % 20 == 1)
      bytes += bytes.substr(random() % bytes.size());
    taken += look(bytes) ? 1 : 0;
  }
  return taken;
}

const std::string kConfiguration = R"({"B":16,"N":[64,256],"K":{"values":[3],"guard":false},)"
                                   R"("f":0.5,"s":"symbol","i":{"float":"-inf"}})";
const std::string kProfile =
    R"({"program":"01","points":{"lookup":{"kind":"fast_path","type":"i32","arguments":["ptr"],)"
    R"("count":3,"other":1,"error_bound":0,)"
    R"("entries":[{"inputs":["table"],"count":2,"result":7,"version":1}]}}})";

TEST(DamagedConfigurations, AreRefusedOrWhatTheyAreWrittenAs) {
  ASSERT_TRUE(look_at_configuration(kConfiguration));
  EXPECT_GT(taken_of_damaged(kConfiguration, look_at_configuration), 20);
}

TEST(DamagedProfiles, AreRefusedOrWhatTheyAreWrittenAs) {
  ASSERT_TRUE(look_at_profile(kProfile));
  EXPECT_GT(taken_of_damaged(kProfile, look_at_profile), 20);
}

TEST(DamagedStoredImages, AreRefusedOrTakenApartWithinTheirBounds) {
  const std::string whole =
      core::pack_stored({1}, {"f{x=1}", "f", "f.cpp", "full", "cpu", "22", "0.1", 1}, "image");
  ASSERT_TRUE(core::look_at_stored(whole));
  EXPECT_GT(taken_of_damaged(whole, core::look_at_stored), 100);
}

TEST(DamagedSections, AreRefusedOrTakenApartWithinTheirBounds) {
  const std::string whole = compiler::framed("BC, and more") + compiler::framed("BC again");
  ASSERT_EQ(compiler::look_at_section(whole), 2U);
  EXPECT_GT(taken_of_damaged(
                whole, [](std::string_view bytes) { return compiler::look_at_section(bytes) > 0; }),
            100);
}

TEST(TextThatIsNestedWithoutEnd, IsRefused) {
  const std::string nested = R"({"B":)" + std::string(1'000'000, '[');
  const std::string closed = nested + std::string(1'000'000, ']') + "}";
  for (const std::string &text : {nested, closed}) {
    EXPECT_THROW((void)Configuration::from_json(text), Error);
    EXPECT_THROW((void)Constraints::from_json(text), Error);
    EXPECT_THROW((void)Profile::from_json(text), Error);
    EXPECT_FALSE(core::read_info(text));
  }
  EXPECT_NO_THROW((void)Configuration::from_json(R"({"B":")" + std::string(1000, '[') + "\"}"));
}

} // namespace
} // namespace sartor
