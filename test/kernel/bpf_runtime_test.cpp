// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behavior of handlers in the kernel when they are specialized.
#include <random>

#include <gmock/gmock.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <sartor/bpf/object.h>

#include "kernel.h"

SARTOR_BPF_OBJECT(global)
SARTOR_BPF_OBJECT(points)
SARTOR_BPF_OBJECT(refused)
SARTOR_BPF_OBJECT(undefined)

namespace sartor::test {

namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class BpfRuntimeTest : public Kernel {};

Packet packet_of(std::uint8_t rounds, std::int16_t step, std::uint32_t scale, std::uint32_t key) {
  Packet made{};
  made.rounds = rounds;
  made.step = step;
  made.scale = scale;
  made.key = key;
  return made;
}

/// The same object twice, without sharing maps and variables: one stays generic.
struct Twins {
  BpfRuntime generic = BpfRuntime::open(points_object(), {.name = "generic"});
  BpfRuntime special = BpfRuntime::open(points_object(), {.name = "special"});

  void expect_equal(const std::string &bytes) {
    ASSERT_EQ(run(generic.program("points"), bytes), run(special.program("points"), bytes));
  }
  void expect_equal_maps() {
    for (std::uint32_t key = 0; key < 8; ++key)
      ASSERT_EQ(element(generic.map("counts"), key), element(special.map("counts"), key)) << key;
  }
};

/// Sets or leaves each point at random.
Configuration random_configuration(const Space &space, std::mt19937 &random) {
  Configuration configuration;
  for (const Point &point : space.points()) {
    if (random() % 2 == 0)
      continue;
    if (point.kind == PointKind::generic) {
      configuration.set(point.label, static_cast<std::int64_t>(random() % 3 * 500));
      continue;
    }
    const std::vector<Value> values = point.values();
    const Value &value = values[random() % values.size()];
    if (point.kind == PointKind::enumeration && random() % 3 == 0)
      configuration.set(point.label, any_of({values.front(), values.back()}));
    else
      configuration.set(point.label, value);
  }
  return configuration;
}

std::string random_packet(std::mt19937 &random) {
  const int steps[] = {-3, -2, 0, 1, 2, 7};
  std::string bytes = bytes_of(packet_of(static_cast<std::uint8_t>(random() % 10),
                                         static_cast<std::int16_t>(steps[random() % 6]),
                                         random() % 4 * 500, random() % 12));
  if (random() % 8 == 0)
    bytes.resize(14 + random() % 50);
  return bytes;
}

} // namespace

TEST_F(BpfRuntimeTest, TheSpaceIsThatOfTheSource) {
  const BpfRuntime runtime = BpfRuntime::open(points_object());
  EXPECT_THAT(runtime.handlers(), UnorderedElementsAre("points", "at_tc", "at_group", "at_socket"));
  const Point *rounds = runtime.space().find("rounds");
  ASSERT_NE(rounds, nullptr);
  EXPECT_EQ(rounds->kind, PointKind::enumeration);
  EXPECT_EQ(rounds->type.text(), "u8");
  EXPECT_EQ(rounds->choices, (std::vector<Value>{0, 3, 8}));
  EXPECT_EQ(runtime.space().find("step")->type.text(), "i16");
  EXPECT_TRUE(runtime.space().find("look")->reads_memory);
  EXPECT_FALSE(runtime.space().find("mix")->reads_memory);
}

TEST_F(BpfRuntimeTest, SpecializedDoesWhatGenericDoes) {
  std::mt19937 random(18);
  Twins twins;
  twins.special.instrument({"mix", "look"}, 1);
  for (int i = 0; i < 200; ++i)
    twins.expect_equal(random_packet(random));
  for (int i = 0; i < 60; ++i) {
    const Configuration configuration = random_configuration(twins.special.space(), random);
    SCOPED_TRACE(configuration.text());
    twins.special.specialize(configuration);
    for (int k = 0; k < 100; ++k)
      twins.expect_equal(random_packet(random));
    twins.expect_equal_maps();
  }
}

TEST_F(BpfRuntimeTest, VariablesAndMapsAreOneForAll) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const std::string bytes = bytes_of(packet_of(3, 1, 1, 2));
  const Outcome before = run(runtime.program("points"), bytes);
  runtime.specialize(Configuration().set("rounds", 3).set("scale", 1));
  EXPECT_NE(runtime.program("points"), runtime.generic_program("points"));
  const Outcome after = run(runtime.program("points"), bytes);
  EXPECT_EQ(packet_in(after).sum, packet_in(before).sum) << "table[3] has not been read yet";
  runtime.specialize({});
  EXPECT_EQ(runtime.program("points"), runtime.generic_program("points"));
  run(runtime.program("points"), bytes);
  const std::string others = bytes_of(packet_of(8, 0, 0, 2));
  EXPECT_EQ(packet_in(run(runtime.program("points"), others)).sum, 2U * (1 + 10 + 100 + 1000 + 3))
      << "what three runs have added, two of them generic";
}

TEST_F(BpfRuntimeTest, FailuresOfGuardsAreCounted) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.specialize(Configuration().set("scale", 500));
  for (int i = 0; i < 5; ++i)
    run(runtime.program("points"), bytes_of(packet_of(0, 0, i < 3 ? 7 : 500, 1)));
  EXPECT_EQ(runtime.guard_failures("scale"), 3U);
  runtime.specialize(Configuration().set("scale", 1));
  run(runtime.program("points"), bytes_of(packet_of(0, 0, 7, 1)));
  EXPECT_EQ(runtime.guard_failures("scale"), 4U) << "those of the variant before count";
  EXPECT_EQ(runtime.guard_failures("rounds"), 0U);
}

TEST_F(BpfRuntimeTest, ProfilesReportWhatWasSeen) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.instrument({"rounds", "mix"}, 1);
  for (int i = 0; i < 30; ++i)
    run(runtime.program("points"), bytes_of(packet_of(i < 20 ? 3 : 8, 0, 1, i % 2)));
  const Profile profile = runtime.profile();
  const PointProfile *rounds = profile.find("rounds");
  ASSERT_NE(rounds, nullptr);
  EXPECT_EQ(rounds->count, 30U);
  ASSERT_EQ(rounds->entries.size(), 2U);
  EXPECT_EQ(rounds->entries[0].inputs, std::vector<Value>{3});
  EXPECT_EQ(rounds->entries[0].count, 20U);
  const PointProfile *mix = profile.find("mix");
  ASSERT_EQ(mix->entries.size(), 2U);
  EXPECT_EQ(mix->entries[0].count, 15U);
  const Outcome of_zero = run(runtime.generic_program("points"), bytes_of(packet_of(0, 0, 1, 0)));
  for (const ProfileEntry &entry : mix->entries)
    if (entry.inputs == std::vector<Value>{0})
      EXPECT_EQ(entry.result, Value(static_cast<std::int64_t>(packet_in(of_zero).mixed)));
  EXPECT_EQ(profile.find("scale")->count, 0U);
  runtime.clear_profile();
  EXPECT_EQ(runtime.profile().find("rounds")->count, 0U);
  EXPECT_TRUE(runtime.profile().find("rounds")->entries.empty());
}

TEST_F(BpfRuntimeTest, SampledProfilesAreEstimates) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.instrument({"rounds"}, 10);
  for (int i = 0; i < 20000; ++i)
    run(runtime.program("points"), bytes_of(packet_of(i % 4 == 0 ? 8 : 3, 0, 1, 1)));
  const PointProfile seen = *runtime.profile().find("rounds");
  EXPECT_NEAR(static_cast<double>(seen.count), 20000, 2500);
  EXPECT_EQ(seen.entries.front().inputs, std::vector<Value>{3});
  EXPECT_NEAR(static_cast<double>(seen.entries.front().count), 15000, 2500);
}

TEST_F(BpfRuntimeTest, FrequentInputsAreFoundAmongMany) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.instrument({"mix"}, 1);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i)
    run(runtime.program("points"),
        bytes_of(packet_of(0, 0, 1, i % 3 == 0 ? 42 : static_cast<std::uint32_t>(random()))));
  const PointProfile seen = *runtime.profile().find("mix");
  EXPECT_EQ(seen.count, 20000U);
  EXPECT_EQ(seen.entries.front().inputs, std::vector<Value>{42});
  EXPECT_LE(seen.entries.front().count, 6667U);
  EXPECT_GE(seen.entries.front().count + seen.error_bound, 6667U);
}

TEST_F(BpfRuntimeTest, AnswersAreUsedWhileTheirVersionHolds) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const std::string bytes = bytes_of(packet_of(0, 0, 1, 7));
  EXPECT_EQ(error_of([&] { runtime.specialize(Configuration().set("look", 4)); }).code(),
            ErrorCode::no_profile);
  runtime.instrument({"look"}, 1);
  EXPECT_EQ(packet_in(run(runtime.program("points"), bytes)).looked, 7U * 5 + 3);
  runtime.specialize(Configuration().set("look", 4));

  // Changing the variables' map without a new version keeps the answers; with a new version, they
  // change.
  const int data = runtime.map(".data");
  const std::uint32_t first = 0;
  const std::uint32_t secret = 6;
  std::string of_data(64, '\0');
  ASSERT_EQ(bpf_map_lookup_elem(data, &first, of_data.data()), 0);
  const std::uint32_t old = 5;
  const std::size_t at = of_data.find(std::string(reinterpret_cast<const char *>(&old), 4));
  of_data.replace(at, 4, std::string(reinterpret_cast<const char *>(&secret), 4));
  ASSERT_EQ(bpf_map_update_elem(data, &first, of_data.data(), 0), 0);
  EXPECT_EQ(packet_in(run(runtime.program("points"), bytes)).looked, 7U * 5 + 3);

  const int bss = runtime.map(".bss");
  bpf_map_info reported{};
  std::uint32_t size = sizeof reported;
  ASSERT_EQ(bpf_obj_get_info_by_fd(bss, &reported, &size), 0);
  std::string of_bss(reported.value_size, '\0');
  ASSERT_EQ(bpf_map_lookup_elem(bss, &first, of_bss.data()), 0);
  std::string changed = of_bss;
  for (std::size_t i = 0; i + 8 <= changed.size(); i += 8)
    ++changed[i]; // both words: runs and version
  ASSERT_EQ(bpf_map_update_elem(bss, &first, changed.data(), 0), 0);
  EXPECT_EQ(packet_in(run(runtime.program("points"), bytes)).looked, 7U * 6 + 3);
}

TEST_F(BpfRuntimeTest, WhatTheVerifierRefusesIsReportedAndChangesNothing) {
  BpfRuntime runtime = BpfRuntime::open(refused_object());
  runtime.specialize(Configuration().set("at", 15));
  const int before = runtime.program("reach");
  const Error error =
      error_of([&] { runtime.specialize(Configuration().set("at", unguarded(4000))); });
  EXPECT_EQ(error.code(), ErrorCode::refused_by_verifier);
  EXPECT_THAT(error.what(), HasSubstr("reach._at_"));
  EXPECT_THAT(error.what(), HasSubstr("invalid access to map value"));
  EXPECT_EQ(runtime.program("reach"), before);
  EXPECT_EQ(run(before, std::string(64, '\1')).verdict, 3U);
}

TEST_F(BpfRuntimeTest, TheBestOnLiveTrafficStaysActive) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const Configuration good = Configuration().set("rounds", 3);
  const Configuration bad = Configuration().set("rounds", 8);
  const auto score = [&] { return runtime.active("points").configuration == good ? 2.0 : 1.0; };
  EXPECT_EQ(runtime.autotune({bad, good}, score), good);
  EXPECT_EQ(runtime.active("points").configuration, good);
  EXPECT_EQ(runtime.autotune({bad}, [] { return 1.0; }), good) << "of equals, what was there";
  EXPECT_EQ(runtime.autotune({Configuration().set("round", 3)}, score), good)
      << "what cannot be made is left out";
  EXPECT_THROW(runtime.autotune({bad}, []() -> double { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(runtime.active("points").configuration, good);
  const auto refuse = []() -> double {
    throw Error(Failure{ErrorCode::file_error, "x", "y", "z"});
  };
  EXPECT_EQ(code_of([&] { runtime.autotune({bad}, refuse); }), ErrorCode::file_error);
}

TEST_F(BpfRuntimeTest, FailuresOfVariantsThatAreTriedAgainAreCountedOnce) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const Configuration good = Configuration().set("rounds", 3);
  Packet packet{};
  packet.rounds = 8; // fails the guard
  std::uint64_t failed = 0;
  runtime.autotune({good}, [&] {
    const bool is_good = runtime.active("points").configuration == good;
    run(runtime.program("points"), bytes_of(packet));
    failed += is_good ? 1 : 0;
    EXPECT_EQ(runtime.guard_failures("rounds"), failed);
    return is_good ? 2.0 : 1.0;
  });
  EXPECT_GT(failed, 1U) << "it was tried again";
  EXPECT_EQ(runtime.guard_failures("rounds"), failed);
  runtime.specialize({});
  EXPECT_EQ(runtime.guard_failures("rounds"), failed);
}

TEST_F(BpfRuntimeTest, AValueForEachProcessorIsGivenForAllOfThem) {
  BpfRuntime runtime = BpfRuntime::open(global_object());
  const std::uint32_t key = 0;
  const std::string_view at(reinterpret_cast<const char *>(&key), sizeof key);
  EXPECT_EQ(code_of([&] { runtime.update("of_processors", key, 7U); }), ErrorCode::bad_bpf_object)
      << "the kernel would read beyond it";
  const auto processors = static_cast<std::size_t>(libbpf_num_possible_cpus());
  const std::vector<std::uint64_t> values(processors, 7);
  runtime.update("of_processors", at,
                 std::string_view(reinterpret_cast<const char *>(values.data()), 8 * processors));
  std::vector<std::uint64_t> found(processors);
  ASSERT_EQ(bpf_map_lookup_elem(runtime.map("of_processors"), &key, found.data()), 0);
  EXPECT_EQ(found, values);
}

TEST_F(BpfRuntimeTest, BadInputIsReported) {
  EXPECT_EQ(error_of([] { BpfRuntime::open("no object"); }).code(), ErrorCode::bad_bpf_object);
  EXPECT_EQ(error_of([] { BpfRuntime::open(points_object().substr(0, 3000)); }).code(),
            ErrorCode::bad_bpf_object);
  EXPECT_EQ(error_of([] { BpfRuntime::open_file("/nowhere.bpf.o"); }).code(),
            ErrorCode::file_error);
  EXPECT_EQ(error_of([] { BpfRuntime::open(points_object(), {.pins = "/tmp/no_bpffs"}); }).code(),
            ErrorCode::kernel_lacks);
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const auto code_of = [&](const Configuration &configuration) {
    return error_of([&] { runtime.specialize(configuration); }).code();
  };
  EXPECT_EQ(code_of(Configuration().set("round", 3)), ErrorCode::unknown_label);
  EXPECT_EQ(code_of(Configuration().set("rounds", 4)), ErrorCode::value_outside_choices);
  EXPECT_EQ(error_of([&] { runtime.instrument({"round"}); }).code(), ErrorCode::unknown_label);
  EXPECT_EQ(error_of([&] { (void)runtime.program("nobody"); }).code(), ErrorCode::unknown_handler);
  EXPECT_EQ(error_of([&] { (void)runtime.map("nothing"); }).code(), ErrorCode::bad_bpf_object);
}

TEST_F(BpfRuntimeTest, TheKernelKeepsNothing) {
  std::vector<std::uint32_t> programs;
  {
    BpfRuntime runtime = BpfRuntime::open(points_object());
    for (int i = 0; i < 3; ++i) {
      runtime.specialize(Configuration().set("scale", i));
      programs.push_back(runtime.active("points").program);
    }
    EXPECT_TRUE(is_gone(programs.front())) << "it has been replaced";
  }
  for (const std::uint32_t program : programs)
    EXPECT_TRUE(is_gone(program));
}

TEST_F(BpfRuntimeTest, VariantsHaveNames) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.specialize(Configuration().set("rounds", 3));
  const BpfVariant variant = runtime.active("points");
  EXPECT_EQ(variant.name, "points._rounds_3_");
  EXPECT_GT(variant.instructions, 0U);
  EXPECT_GT(variant.verified_instructions, variant.instructions);
  bpf_prog_info reported{};
  std::uint32_t size = sizeof reported;
  ASSERT_EQ(bpf_obj_get_info_by_fd(runtime.program("points"), &reported, &size), 0);
  EXPECT_EQ(std::string(reported.name), variant.name.substr(0, 15));
  EXPECT_EQ(reported.nr_func_info, 3U) << "the kernel knows the functions' types";
}

#ifdef SARTOR_TEST_BPFTOOL
TEST_F(BpfRuntimeTest, BpftoolShowsAVariantByItsName) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.specialize(Configuration().set("rounds", 3));
  const std::uint32_t program = runtime.active("points").program;
  const std::string show = SARTOR_TEST_BPFTOOL " prog show id " + std::to_string(program);
  EXPECT_EQ(command(show + " | grep -q ' name points._rounds_'"), 0);
  runtime.specialize({});
  EXPECT_TRUE(is_gone(program)) << "it has been replaced";
  EXPECT_NE(command(show + " >/dev/null 2>&1"), 0);
}
#endif

TEST_F(BpfRuntimeTest, WhatHasNoValueIsTakenByTheVerifier) {
  BpfRuntime runtime = BpfRuntime::open(undefined_object());
  const auto expect_equal = [&] {
    for (const std::size_t bytes : {14U, 20U, 64U})
      EXPECT_EQ(run(runtime.program("undefined"), std::string(bytes, '\0')),
                run(runtime.generic_program("undefined"), std::string(bytes, '\0')));
  };
  runtime.instrument({"plain", "even", "mixed"}, 1);
  expect_equal();
  runtime.specialize({{"plain", true}, {"even", true}, {"mixed", 1}});
  expect_equal();
}

TEST_F(BpfRuntimeTest, FunctionsThatTheVerifierChecksAloneKeepTheirChecks) {
  BpfRuntime runtime = BpfRuntime::open(global_object());
  const std::string packet(64, '\0');
  const std::uint32_t wanted = run(runtime.generic_program("alone"), packet).verdict;
  for (const int value : {0, 1, 2, 3}) {
    runtime.specialize(Configuration().set("class", value));
    EXPECT_NE(runtime.active("alone").program, 0U);
    EXPECT_EQ(run(runtime.program("alone"), packet).verdict, wanted) << value;
  }
}

} // namespace sartor::test
