// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stores to watched fields, each in a separate function, compiled in each way. The test replaces
/// the run-time functions.

#include "watched.h"

#include <array>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::IsEmpty;
using testing::SizeIs;

using Bytes = std::array<unsigned char, sizeof(Object)>;

struct Call {
  bool is_before;
  const unsigned char *address;
  std::size_t size;
  Bytes bytes; ///< A copy of the object at that time.
};

struct World {
  Object objects[2];
  bool refuses = false;
  std::vector<Call> calls;
};

World *world = nullptr;
int registrations = 0;
const sartor_watch *registered = nullptr;
std::size_t registered_count = 0;

Bytes bytes_of(const Object &of) {
  Bytes bytes;
  std::memcpy(bytes.data(), &of, sizeof bytes);
  return bytes;
}

void record(bool is_before, const void *address, std::uint64_t size) {
  world->calls.push_back(
      {is_before, static_cast<const unsigned char *>(address), size, bytes_of(world->objects[0])});
}

void arm(bool on) {
  for (const sartor_watch *row = __start_sartor_watches; row != __stop_sartor_watches; ++row)
    *row->armed = on ? 1 : 0;
}

} // namespace

extern "C" {
int sartor_may_write(void *address, std::uint64_t size) {
  record(true, address, size);
  return world->refuses ? 0 : 1;
}
void sartor_written(void *address, std::uint64_t size) { record(false, address, size); }
void sartor_register_watches(const sartor_watch *begin, const sartor_watch *end) {
  ++registrations;
  registered = begin;
  registered_count = static_cast<std::size_t>(end - begin);
}
}

namespace {

struct Compiled {
  const char *name;
  const WatchCases *cases;
  const WatchCases *plain;
};

void PrintTo(const Compiled &compiled, std::ostream *out) { *out << compiled.name; }

class Watched : public testing::TestWithParam<Compiled> {
protected:
  Watched() {
    // Not zero, so that a missing store is noticed; small, because some fields are indexes.
    std::memset(world_.objects, 0, sizeof world_.objects);
    for (Object &each : world_.objects) {
      each.plain = 2;
      each.number = 40;
      each.counter = 1;
      each.weight = 2;
    }
    world_.objects[1].number = 41;
    world = &world_;
    arm(false);
  }
  ~Watched() override {
    arm(false);
    world = nullptr;
  }

  /// The bytes of the object after a function has run on it.
  Bytes run(const WatchCase &which) {
    const Object before = world_.objects[0];
    which.store(&world_.objects[0]);
    const Bytes after = bytes_of(world_.objects[0]);
    world_.objects[0] = before;
    return after;
  }
  [[nodiscard]] const unsigned char *place(const WatchCase &of) const {
    return reinterpret_cast<const unsigned char *>(&world_.objects[0]) + of.offset;
  }
  static Bytes part(const Bytes &bytes, const WatchCase &of) {
    Bytes part{};
    std::memcpy(part.data(), bytes.data() + of.offset, of.size);
    return part;
  }

  World world_{};
};

std::vector<WatchCase> guarded(const WatchCases &of) { return {of.cases, of.cases + of.count}; }
std::vector<WatchCase> fresh(const WatchCases &of) { return {of.fresh, of.fresh + of.fresh_count}; }

TEST_P(Watched, NobodyIsAskedWhileNothingIsArmed) {
  for (const WatchCase &each : guarded(*GetParam().cases)) {
    run(each);
    EXPECT_THAT(world_.calls, IsEmpty()) << each.name;
  }
}

TEST_P(Watched, TheResultIsThatOfPlainCode) {
  const auto plain = guarded(*GetParam().plain);
  const auto ours = guarded(*GetParam().cases);
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (const bool armed : {false, true}) {
      arm(armed);
      EXPECT_EQ(run(ours[i]), run(plain[i])) << ours[i].name;
    }
}

TEST_P(Watched, TheStoreIsBetweenTwoCallsWithItsAddressAndSize) {
  arm(true);
  for (const WatchCase &each : guarded(*GetParam().cases)) {
    SCOPED_TRACE(each.name);
    world_.calls.clear();
    const Bytes before = part(bytes_of(world_.objects[0]), each);
    const Bytes after = part(run(each), each);
    ASSERT_THAT(world_.calls, SizeIs(2));
    for (const Call &call : world_.calls) {
      EXPECT_EQ(call.address, place(each));
      EXPECT_EQ(call.size, each.size);
    }
    EXPECT_TRUE(world_.calls[0].is_before);
    EXPECT_FALSE(world_.calls[1].is_before);
    EXPECT_EQ(part(world_.calls[0].bytes, each), before);
    EXPECT_EQ(part(world_.calls[1].bytes, each), after);
  }
}

TEST_P(Watched, ARefusedStoreIsLeftOut) {
  arm(true);
  world_.refuses = true;
  for (const WatchCase &each : guarded(*GetParam().cases)) {
    SCOPED_TRACE(each.name);
    world_.calls.clear();
    const Bytes before = part(bytes_of(world_.objects[0]), each);
    EXPECT_EQ(part(run(each), each), before);
    ASSERT_THAT(world_.calls, SizeIs(1));
    EXPECT_TRUE(world_.calls[0].is_before);
  }
}

TEST_P(Watched, WhatNobodyCanHaveAQuasiInvariantAboutIsNotGuarded) {
  const auto plain = fresh(*GetParam().plain);
  const auto ours = fresh(*GetParam().cases);
  arm(true);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(run(ours[i]), run(plain[i])) << ours[i].name;
    EXPECT_THAT(world_.calls, IsEmpty()) << ours[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, Watched,
                         testing::Values(Compiled{"c_o0", &c_o0, &c_plain},
                                         Compiled{"c_o2", &c_o2, &c_plain},
                                         Compiled{"cpp_o0", &cpp_o0, &cpp_plain},
                                         Compiled{"cpp_o2", &cpp_o2, &cpp_plain}),
                         [](const testing::TestParamInfo<Compiled> &info) {
                           return std::string(info.param.name);
                         });

// A refused atomic operation returns the value that it would have returned, so that loops that wait
// for it end.
TEST(RefusedAtomics, GiveWhatTheyWouldHaveGiven) {
  World here;
  here.refuses = true;
  world = &here;
  arm(true);
  for (const WatchCases *cases : {&c_o0, &c_o2})
    for (const WatchCase &each : guarded(*cases))
      if (const std::string name = each.name;
          name == "atomic_exchange" || name == "atomic_add" || name == "compare_exchange") {
        here.objects[0] = {};
        here.objects[0].counter = 1;
        each.store(&here.objects[0]);
        EXPECT_EQ(here.objects[0].plain, 1) << name;
        EXPECT_EQ(here.objects[0].counter, 1) << name;
      }
  arm(false);
  world = nullptr;
}

TEST(Watches, AreRegisteredOnceAndSayWhatIsWatched) {
  EXPECT_EQ(registrations, 1);
  EXPECT_EQ(registered, __start_sartor_watches);
  const std::vector<sartor_watch> rows(registered, registered + registered_count);
  const auto row = [&](const std::string &record, const std::string &field) {
    for (const sartor_watch &each : rows)
      if (each.record == record && each.field == field)
        return each;
    ADD_FAILURE() << record << "::" << field;
    return sartor_watch{};
  };
  const sartor_watch number = row("Object", "number");
  EXPECT_EQ(number.record_size, sizeof(Object));
  EXPECT_EQ(number.offset, offsetof(Object, number));
  EXPECT_EQ(number.size, 4U);
  EXPECT_EQ(row("Object", "low").offset, 8U);
  EXPECT_EQ(row("Object", "low").size, 1U);
  EXPECT_EQ(row("Object", "list").size, 16U);
  EXPECT_EQ(row("Object", "hidden").offset, offsetof(Object, hidden));
  EXPECT_EQ(row("Inner", "tight").offset, 4U);
  EXPECT_EQ(row("(anonymous namespace)::Box<int>", "value").size, 4U);
  EXPECT_NE(number.armed, row("Object", "counter").armed);
  for (const sartor_watch &each : rows)
    if (std::string(each.field) == "number")
      EXPECT_EQ(each.armed, number.armed); // a record of another file
}

} // namespace
