// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Content of maps that becomes part of variants, and the writers that change it.
#include <cstring>
#include <functional>
#include <random>

#include <gmock/gmock.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/bpf/object.h>

#include "handlers/lookups.h"
#include "kernel.h"

SARTOR_BPF_OBJECT(maps)

namespace sartor::test {

namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

std::string bytes_of(const Lookups &lookups) {
  std::string bytes(sizeof lookups, '\0');
  std::memcpy(bytes.data(), &lookups, sizeof lookups);
  return bytes;
}

Lookups found_by(const BpfRuntime &runtime, const Lookups &lookups,
                 const std::string &handler = "look") {
  Lookups found{};
  std::memcpy(&found, run(runtime.program(handler), bytes_of(lookups)).bytes.data(), sizeof found);
  return found;
}

std::vector<std::uint64_t> found_in(const Outcome &outcome) {
  Lookups found{};
  std::memcpy(&found, outcome.bytes.data(), sizeof found);
  return {found.sum, found.by_index, found.by_key, found.by_prefix, found.by_address};
}

class MapsTest : public Kernel {
protected:
  MapsTest() = default;

  Key random_key() {
    return {static_cast<std::uint32_t>(random() % 40), static_cast<std::uint16_t>(random() % 3),
            static_cast<std::uint16_t>(random() % 2), static_cast<std::uint32_t>(random() % 2)};
  }
  Prefix random_prefix() {
    const auto length = static_cast<std::uint32_t>(random() % 33);
    return {length, static_cast<std::uint32_t>(random())};
  }
  Lookups random_lookups() {
    Lookups lookups{};
    lookups.key = random_key();
    lookups.index = static_cast<std::uint32_t>(random() % 10);
    lookups.length = random() % 2 == 0 ? 32 : static_cast<std::uint32_t>(random() % 40);
    lookups.address = static_cast<std::uint32_t>(random());
    if (!known_.empty() && random() % 2 == 0)
      lookups.address =
          known_[random() % known_.size()] ^ static_cast<std::uint32_t>(random() % 2 << 24);
    return lookups;
  }
  Found random_value() { return {random() % 1000, static_cast<std::uint8_t>(random() % 2), {}}; }
  /// Puts `entries` entries into each map.
  void fill(BpfRuntime &runtime, std::size_t entries) {
    for (std::uint32_t i = 0; i < 8; ++i)
      runtime.update("list", i, random_value());
    for (std::size_t i = 0; i < entries; ++i) {
      runtime.update("table", random_key(), random_value());
      const Prefix prefix = random_prefix();
      known_.push_back(prefix.address);
      runtime.update("prefixes", prefix, random_value());
    }
  }
  /// Compares the active and the generic code of one runtime, on maps that they share.
  void expect_equal(const BpfRuntime &runtime, int times) {
    for (int i = 0; i < times; ++i) {
      const Lookups lookups = random_lookups();
      const std::string bytes = bytes_of(lookups);
      const Outcome generic = run(runtime.generic_program("look"), bytes);
      const Outcome special = run(runtime.program("look"), bytes);
      ASSERT_EQ(found_in(special), found_in(generic))
          << "length " << lookups.length << ", address " << lookups.address;
      ASSERT_EQ(special, generic);
    }
  }

  std::mt19937 random{7};
  std::vector<std::uint32_t> known_;
};

void declare_all(BpfRuntime &runtime, BpfWriters writers = BpfWriters::watched) {
  for (const char *map : {"list", "table", "prefixes"})
    runtime.declare_invariant(map, writers);
}

} // namespace

TEST_F(MapsTest, ContentFoldsAndDoesWhatGenericCodeDoes) {
  for (const std::size_t entries : {0U, 1U, 5U, 12U, 13U, 100U, 900U}) {
    SCOPED_TRACE(entries);
    known_.clear();
    BpfRuntime runtime = BpfRuntime::open(maps_object());
    fill(runtime, entries);
    declare_all(runtime, BpfWriters::ours);
    runtime.specialize({});
    const BpfVariant variant = runtime.active("look");
    EXPECT_NE(variant.program, 0U);
    EXPECT_THAT(variant.remarks, IsEmpty());
    expect_equal(runtime, 400);
    runtime.specialize(Configuration().set("even", true));
    expect_equal(runtime, 400);
  }
}

TEST_F(MapsTest, InvariantContentIsNotLookedUp) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 30);
  declare_all(runtime, BpfWriters::ours);
  runtime.specialize({});
  const std::uint32_t index = 3;
  const Found other = {123456, 1, {}};
  ASSERT_EQ(bpf_map_update_elem(runtime.map("list"), &index, &other, 0), 0);
  Lookups lookups{};
  lookups.index = index;
  EXPECT_NE(found_by(runtime, lookups).by_index, 123456U)
      << "the promise that only we write was broken";
  runtime.update("list", index, other);
  EXPECT_EQ(found_by(runtime, lookups).by_index, 123456U) << "at once, by the guard";
  EXPECT_TRUE(runtime.refresh());
  EXPECT_FALSE(runtime.refresh());
  EXPECT_EQ(found_by(runtime, lookups).by_index, 123456U);
}

TEST_F(MapsTest, WritersInTheObjectAreSeen) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 30);
  declare_all(runtime, BpfWriters::ours);
  runtime.specialize({});
  for (std::uint32_t way = 0; way < 3; ++way) {
    SCOPED_TRACE(way);
    Lookups change{};
    change.key = {1, 1, 1, 1};
    change.index = 2;
    change.length = way;
    change.sum = 4711;
    ASSERT_EQ(run(runtime.generic_program("write"), bytes_of(change)).verdict, 2U);
    Lookups lookups = change;
    const Lookups found = found_by(runtime, lookups);
    if (way == 0)
      EXPECT_EQ(found.by_key, 4711U + 7);
    if (way == 1)
      EXPECT_EQ(found.by_key, 1U);
    if (way == 2)
      EXPECT_EQ(found.by_index, 4711U);
    expect_equal(runtime, 50);
    EXPECT_TRUE(runtime.refresh());
    expect_equal(runtime, 50);
  }
}

TEST_F(MapsTest, WritersInOtherProcessesAreSeen) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 30);
  declare_all(runtime);
  runtime.specialize({});
  EXPECT_FALSE(runtime.refresh());
  const Key key{1, 1, 1, 1};
  const Prefix prefix{32, 0x01020304};
  const std::uint32_t index = 5;
  const Found value = {4711, 1, {}};
  const std::pair<const char *, const void *> writes[] = {
      {"table", &key}, {"prefixes", &prefix}, {"list", &index}};
  for (const auto &[map, at] : writes)
    for (const bool erases : {false, true}) {
      SCOPED_TRACE(std::string(map) + (erases ? " erase" : ""));
      if (erases && map == std::string("list"))
        continue;
      const int descriptor = runtime.map(map);
      const pid_t child = fork();
      if (child == 0)
        _exit(erases ? bpf_map_delete_elem(descriptor, at) != 0
                     : bpf_map_update_elem(descriptor, at, &value, BPF_ANY) != 0);
      int how = 0;
      ASSERT_EQ(waitpid(child, &how, 0), child);
      ASSERT_EQ(WEXITSTATUS(how), 0);
      Lookups lookups{};
      lookups.key = key;
      lookups.index = index;
      lookups.address = prefix.address;
      const std::string bytes = bytes_of(lookups);
      EXPECT_EQ(run(runtime.program("look"), bytes), run(runtime.generic_program("look"), bytes));
      EXPECT_TRUE(runtime.refresh());
      EXPECT_EQ(run(runtime.program("look"), bytes), run(runtime.generic_program("look"), bytes));
      expect_equal(runtime, 20);
    }
}

TEST_F(MapsTest, WhoTakesEntriesOutOfAHashIsSeen) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  const auto key = random_key();
  Lookups lookups{};
  lookups.key = key;
  const std::string bytes = bytes_of(lookups);
  const auto take = [&] {
    Found taken{};
    return bpf_map_lookup_and_delete_elem(runtime.map("table"), &key, &taken) == 0;
  };
  const auto take_all = [&] {
    auto taken_key = key;
    auto next = key;
    Found taken{};
    std::uint32_t count = 1;
    return bpf_map_lookup_and_delete_batch(runtime.map("table"), nullptr, &next, &taken_key, &taken,
                                           &count, nullptr) == 0 ||
           count == 1;
  };
  for (const std::function<bool()> &change : {std::function<bool()>(take), {take_all}}) {
    runtime.update("table", key, Found{4711, 1, {}});
    try {
      runtime.declare_invariant("table");
    } catch (const Error &error) {
      ASSERT_EQ(error.code(), ErrorCode::kernel_lacks); // no report of other writers
      return;
    }
    runtime.specialize({});
    const Outcome before = run(runtime.program("look"), bytes);
    if (!change())
      continue; // before Linux 5.14
    EXPECT_NE(run(runtime.generic_program("look"), bytes), before);
    EXPECT_EQ(run(runtime.program("look"), bytes), run(runtime.generic_program("look"), bytes));
    EXPECT_TRUE(runtime.refresh());
    runtime.revoke("table");
  }
}

TEST_F(MapsTest, WhoIsNotWatchedIsPolledFor) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 3);
  runtime.declare_invariant("list", BpfWriters::polled);
  runtime.specialize({});
  EXPECT_FALSE(runtime.refresh());
  const std::uint32_t index = 1;
  const Found value = {4711, 1, {}};
  ASSERT_EQ(bpf_map_update_elem(runtime.map("list"), &index, &value, 0), 0);
  EXPECT_TRUE(runtime.refresh());
  Lookups lookups{};
  lookups.index = index;
  EXPECT_EQ(found_by(runtime, lookups).by_index, 4711U);
}

TEST_F(MapsTest, WhatIsPolledForMayChangeWhileConfigurationsAreTried) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 3);
  runtime.declare_invariant("list", BpfWriters::polled);
  runtime.specialize({});
  Lookups lookups{};
  lookups.index = 1;
  const Found value = {4711, 1, {}};
  int tries = 0;
  runtime.autotune({Configuration().set("even", true)}, [&] {
    if (++tries == 4) // both configurations have been tried
      EXPECT_EQ(bpf_map_update_elem(runtime.map("list"), &lookups.index, &value, 0), 0);
    return 1.0;
  });
  EXPECT_GT(tries, 4);
  EXPECT_EQ(found_by(runtime, lookups).by_index, value.word);
}

TEST_F(MapsTest, ADeclarationEndsTheOneBefore) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 3);
  runtime.declare_invariant("list", BpfWriters::polled);
  runtime.specialize({});
  Lookups lookups{};
  lookups.index = 1;
  const Found value = {4711, 1, {}};
  ASSERT_EQ(bpf_map_update_elem(runtime.map("list"), &lookups.index, &value, 0), 0);
  runtime.declare_invariant("list", BpfWriters::ours);
  EXPECT_EQ(found_by(runtime, lookups).by_index, value.word);
  EXPECT_TRUE(runtime.refresh());
  EXPECT_EQ(found_by(runtime, lookups).by_index, value.word);
}

TEST_F(MapsTest, WhatHasNotChangedIsNotReadAgain) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 3);
  runtime.declare_invariant("list", BpfWriters::ours);
  runtime.specialize({});
  Lookups lookups{};
  lookups.index = 1;
  const std::uint64_t before = found_by(runtime, lookups).by_index;
  const Found value = {before + 4711, 1, {}};
  ASSERT_EQ(bpf_map_update_elem(runtime.map("list"), &lookups.index, &value, 0), 0);
  runtime.specialize(Configuration().set("even", true));
  EXPECT_EQ(found_by(runtime, lookups).by_index, before) << "the promise that only we write";
  runtime.declare_invariant("list", BpfWriters::ours);
  runtime.specialize(Configuration().set("even", true));
  EXPECT_EQ(found_by(runtime, lookups).by_index, value.word) << "it is promised anew";
}

TEST_F(MapsTest, ProgramsThatAreNotSeenEndAnInvariant) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 30);
  runtime.declare_invariant("table", BpfWriters::watched);
  runtime.declare_invariant("list", BpfWriters::ours);
  const auto reported = [&] {
    for (const BpfMap &map : runtime.maps())
      if (map.name == "table")
        return map;
    return BpfMap();
  };
  if (reported().sees_programs)
    GTEST_SKIP() << "this kernel lets its functions be looked at";
  runtime.specialize({});
  runtime.specialize(Configuration().set("even", true));
  EXPECT_FALSE(runtime.refresh()) << "variants of ours are nobody else's";

  bpf_object *other = bpf_object__open_mem(maps_object().data(), maps_object().size(), nullptr);
  ASSERT_EQ(bpf_map__reuse_fd(bpf_object__find_map_by_name(other, "table"), runtime.map("table")),
            0);
  ASSERT_EQ(bpf_object__load(other), 0);
  EXPECT_TRUE(runtime.refresh());
  EXPECT_FALSE(runtime.refresh());
  EXPECT_FALSE(reported().invariant_writers.has_value());
  EXPECT_THAT(runtime.active("look").remarks,
              Contains(Field(&Remark::message, HasSubstr("map table is no longer invariant"))));
  Lookups change{};
  change.key = {1, 1, 1, 1};
  change.sum = 4711;
  run(bpf_program__fd(bpf_object__find_program_by_name(other, "write")), bytes_of(change));
  expect_equal(runtime, 50);
  EXPECT_EQ(found_by(runtime, change).by_key, 4711U + 7);
  bpf_object__close(other);
  runtime.declare_invariant("table", BpfWriters::watched);
  runtime.specialize({});
  EXPECT_TRUE(reported().invariant_writers.has_value());
}

TEST_F(MapsTest, WhatAHandlerChangesByItselfDoesNotFold) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  runtime.declare_invariant("counted", BpfWriters::ours);
  runtime.specialize({});
  EXPECT_THAT(
      runtime.active("count").remarks,
      Contains(Field(&Remark::message,
                     HasSubstr("map counted does not fold: the handler changes it by itself"))));
  EXPECT_THAT(runtime.active("look").remarks,
              Contains(Field(&Remark::code, RemarkCode::map_not_read)));
  Lookups lookups{};
  for (std::uint64_t i = 1; i < 4; ++i)
    EXPECT_EQ(found_by(runtime, lookups, "count").sum, i);
}

TEST_F(MapsTest, GeneratedCodeIsTiedToTheMapThatItIsMadeFrom) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 0);
  runtime.add_custom("words", [&](const GeneratorInput &) {
    std::string words;
    for (std::uint32_t i = 0; i < 8; ++i) {
      Found found{};
      bpf_map_lookup_elem(runtime.map("list"), &i, &found);
      words += std::to_string(found.word + 1000000) + ","; // makes the change visible
    }
    return GeneratedCode{.text = "unsigned long sartor_generic(unsigned);\n"
                                 "static const unsigned long words[] = {" +
                                 words +
                                 "};\n"
                                 "unsigned long specialized(unsigned i) {\n"
                                 "  __asm__(\"\" : \"+r\"(i));\n"
                                 "  if (i >= 8) return sartor_generic(i);\n"
                                 "  __asm__(\"# again\" : \"+r\"(i));\n"
                                 "  return words[i];\n}\n"};
  });
  runtime.tie("word", "list");
  EXPECT_EQ(code_of([&] { runtime.specialize(Configuration().set("word", 1)); }),
            ErrorCode::bad_invariant);
  runtime.declare_invariant("list", BpfWriters::ours);
  runtime.specialize(Configuration().set("word", 1));
  Lookups lookups{};
  lookups.index = 3;
  EXPECT_GE(found_by(runtime, lookups, "generated").sum, 1000000U);
  runtime.update("list", lookups.index, Found{77, 1, {}});
  EXPECT_EQ(found_by(runtime, lookups, "generated").sum, 77U);
  EXPECT_TRUE(runtime.refresh());
  EXPECT_EQ(found_by(runtime, lookups, "generated").sum, 1000077U);
  lookups.index = 9;
  EXPECT_EQ(found_by(runtime, lookups, "generated").sum, 0U);
}

TEST_F(MapsTest, BadInvariantsAreReported) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  EXPECT_EQ(code_of([&] { runtime.declare_invariant("nothing"); }), ErrorCode::bad_bpf_object);
  EXPECT_EQ(code_of([&] { runtime.declare_invariant("unmarked"); }), ErrorCode::bad_invariant);
  EXPECT_EQ(code_of([&] { runtime.update("list", "short", "value"); }), ErrorCode::bad_bpf_object);
  BpfRuntime pinned = BpfRuntime::open(maps_object(), {.pins = pins()});
  EXPECT_EQ(code_of([&] { pinned.declare_invariant("list", BpfWriters::polled); }),
            ErrorCode::bad_invariant);
}

TEST_F(MapsTest, WhatIsRevokedIsLookedUpAgain) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  fill(runtime, 3);
  runtime.declare_invariant("list", BpfWriters::ours);
  runtime.specialize({});
  runtime.revoke("list");
  const std::uint32_t index = 1;
  const Found value = {4711, 1, {}};
  ASSERT_EQ(bpf_map_update_elem(runtime.map("list"), &index, &value, 0), 0);
  Lookups lookups{};
  lookups.index = index;
  EXPECT_EQ(found_by(runtime, lookups).by_index, 4711U);
}

TEST_F(MapsTest, MapsReportHowTheyAreProtected) {
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  runtime.declare_invariant("table", BpfWriters::ours);
  for (const BpfMap &map : runtime.maps()) {
    EXPECT_EQ(map.read_mostly, map.name != "unmarked");
    EXPECT_EQ(map.invariant_writers.has_value(), map.name == "table");
    EXPECT_THAT(map.other_programs, IsEmpty());
  }
}

} // namespace sartor::test
