// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Configuration files and refused settings, shown with the policer's.
#include <string>

#include <gtest/gtest.h>

#include "memory_io.h"
#include "policer_control.h"
#include "policer_state.h"
#include "settings.h"

namespace nf {
namespace {

constexpr std::string_view kGood = R"(
[[class]]
destinations = "10.0.0.1"
rate = 1_000
burst = 1_500
[[class]]
destinations = "10.0.0.0/8"
rate = 3
burst = 1
)";

PolicerConfig read(std::string_view text) { return policer_config_of(toml::parse(text)); }

/// The message for a configuration in which one text is replaced by another.
std::string refusal(std::string_view what, std::string_view by) {
  std::string text(kGood);
  text.replace(text.find(what), what.size(), by);
  try {
    read(text);
  } catch (const BadConfiguration &error) {
    return error.what();
  }
  return "none";
}

TEST(PolicerControl, ReadsClasses) {
  const PolicerConfig config = read(kGood);
  ASSERT_EQ(config.count, 2U);
  EXPECT_EQ(config.classes[0].network, __builtin_bswap32(0x0a000001));
  EXPECT_EQ(config.classes[0].mask, 0xffffffff);
  EXPECT_EQ(config.classes[0].most, 1'500'000'000'000U);
  EXPECT_EQ(config.classes[0].filling, 1'500'000'000U);
  EXPECT_EQ(config.classes[1].mask, __builtin_bswap32(0xff000000));
  EXPECT_EQ(config.classes[1].filling, 333'333'334U); // not a nanosecond before it is full
}

TEST(PolicerControl, NamesWhatItRefuses) {
  EXPECT_EQ(refusal("1_500", "0"),
            "policer.class[0].burst (line 5): must be a whole number from 1 to 4611686017");
  EXPECT_EQ(refusal("1_500", "1.5"),
            "policer.class[0].burst (line 5): must be a whole number from 1 to 4611686017");
  EXPECT_EQ(refusal("burst = 1_500", ""), "policer.class[0].burst (line 2): is missing");
  EXPECT_EQ(refusal("burst = 1_500", "burst = 1_500\nbrust = 1"),
            "policer.class[0].brust (line 6): there is no such key");
  EXPECT_EQ(refusal("\"10.0.0.0/8\"", "\"10.0.0.1/8\""),
            "policer.class[1].destinations (line 7): \"10.0.0.1/8\" has bits set beside its mask");
  for (const char *const network :
       {"10.0.0/8", "10.0.0.0/33", "10.0.0.0.0", "10.0.0.256", "10.0.0.0/", "", "10.0.0.-1"})
    EXPECT_EQ(refusal("10.0.0.0/8", network), "policer.class[1].destinations (line 7): \"" +
                                                  std::string(network) +
                                                  "\" is no network; write it as \"192.0.2.0/24\"");
  EXPECT_EQ(refusal("\"10.0.0.0/8\"", "8"),
            "policer.class[1].destinations (line 7): must be a text, in quotation marks");
  EXPECT_THROW(read("class = 1"), BadConfiguration);
  EXPECT_THROW(read("other = 1"), BadConfiguration);
  std::string many;
  for (int i = 0; i <= policer_most_classes; ++i)
    many += "[[class]]\ndestinations = \"10.0.0.0/8\"\nrate = 1\nburst = 1\n";
  EXPECT_THROW(read(many), BadConfiguration);
}

TEST(PolicerControl, LeavesWhatIsActiveWhereItRefuses) {
  policer_function.configure(toml::parse(kGood));
  EXPECT_THROW(policer_function.configure(toml::parse("class = 1")), BadConfiguration);
  EXPECT_EQ(policer_config.count, 2U);
}

TEST(PolicerControl, ForgetsWhoseBucketIsFull) {
  policer_function.configure(toml::parse(kGood));
  policer_function.forget(16);
  MemoryIo io;
  io.set_time(0);
  for (const std::uint32_t destination : {0x0a000001U, 0x0a000002U}) {
    io.put(nf_external, bytes_of({.source = 1, .destination = destination}));
    policer_poll(&io.io(), nf_external);
  }
  ASSERT_EQ(policer_state.buckets.count, 2U);
  policer_function.sweep(333'333'333);
  EXPECT_EQ(policer_state.buckets.count, 2U);
  policer_function.sweep(333'333'334);
  EXPECT_EQ(policer_state.buckets.count, 1U);
  policer_function.sweep(1'500'000'000);
  EXPECT_EQ(policer_state.buckets.count, 0U);
  policer_buckets_free(&policer_state.buckets);
}

TEST(Settings, ReadsTimesFlagsWordsAndAddresses) {
  const toml::table table = toml::parse(R"(
time = 0.5
other_time = 3
yes = true
word = "two"
address = "192.0.2.1"
mac = "02:00:00:00:00:0a"
)");
  Settings settings(table, "f");
  EXPECT_EQ(settings.nanoseconds("time"), 500'000'000U);
  EXPECT_EQ(settings.nanoseconds("other_time", 1), 3'000'000'000U);
  EXPECT_EQ(settings.nanoseconds("no_time", 2), 2'000'000'000U);
  EXPECT_TRUE(settings.flag("yes", false));
  EXPECT_TRUE(settings.flag("no", true));
  EXPECT_EQ(settings.word("word", {"one", "two"}), 1U);
  EXPECT_EQ(settings.word("no_word", {"one", "two"}, 0), 0U);
  EXPECT_EQ(settings.address("address"), 0xc0000201);
  EXPECT_EQ(settings.mac("mac"), (Mac{2, 0, 0, 0, 0, 10}));
  EXPECT_NO_THROW(settings.finish());
  EXPECT_THROW(settings.nanoseconds("word"), BadConfiguration);
  EXPECT_THROW(settings.flag("word", true), BadConfiguration);
  EXPECT_THROW(settings.word("word", {"one"}), BadConfiguration);
  EXPECT_THROW(settings.address("mac"), BadConfiguration);
  EXPECT_THROW(settings.mac("address"), BadConfiguration);
}

TEST(Settings, SaysWhichFileAndWhichTable) {
  EXPECT_THROW(read_configuration("/nowhere.toml"), BadConfiguration);
  EXPECT_THROW(table_of(toml::parse("a = 1"), "policer"), BadConfiguration);
}

// Every function accepts its example configuration.
TEST(Functions, TakeTheirExamples) {
  for (const Function *const function : all_functions()) {
    const toml::table example = toml::parse(function->example);
    EXPECT_NO_THROW(function->configure(table_of(example, function->name))) << function->name;
    EXPECT_EQ(function_named(function->name), function);
  }
  EXPECT_EQ(function_named("router"), nullptr);
}

} // namespace
} // namespace nf
