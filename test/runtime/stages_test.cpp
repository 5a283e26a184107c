// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bindings that are bound further compute the same as a binding of all arguments at once, and as
// the generic code.
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "failing.h"
#include "handlers/staged.h"

namespace {

using sartor::_;
using sartor::ErrorCode;
using sartor::Invariant;

/// A file system and its invariants.
struct Mounted {
  std::vector<FileSystem::Rule> rules;
  FileSystem system{};
  Invariant declared;

  explicit Mounted(std::vector<FileSystem::Rule> given) : rules(std::move(given)) {
    system = {rules.data(), static_cast<std::uint32_t>(rules.size()), 3};
    declared.add(rules.data(), rules.size() * sizeof rules[0]);
    declared.add(&system, sizeof system);
  }
  Mounted(const Mounted &) = delete; // the invariants cover this address
  Mounted &operator=(const Mounted &) = delete;
};

Mounted mounted() { return Mounted({{0, 5}, {1, 7}, {2, 3}, {9, 9}}); }

Invariant invariant(const OpenFile &file) {
  Invariant declared;
  declared.add_fields(file, &OpenFile::transform, &OpenFile::key, &OpenFile::passes);
  return declared;
}

constexpr Window kWindow{2, 90, 7};

TEST(Stages, GiveWhatTheGenericCodeGives) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  OpenFile file{scramble, 77, 3, 0, 0};
  OpenFile same = file;
  const auto declared = invariant(file);
  const auto mount = runtime.bind<&read_word>(&on.system, _, _, _, _);
  const auto opened = mount.bind(&file, _, _, _);
  const auto all = opened.bind(kWindow, 2U, _);
  all.wait();
  EXPECT_EQ(all(std::uint64_t{40}), read_word(&on.system, &same, kWindow, 2, 40));
  EXPECT_EQ(file.reads, same.reads);
  EXPECT_EQ(all(kWhatIsKnown), kRulesAreKnown | kKeyIsKnown | kWindowIsKnown);
  EXPECT_GE(runtime.statistics().staged, 1U);
}

TEST(Stages, ShareWithWhatIsBoundAtOnce) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  OpenFile file{scramble, 77, 3, 0, 0};
  const auto opened = runtime.bind<&read_word>(&on.system, _, _, _, _).bind(&file, _, _, _);
  opened.wait();
  const auto compiles = runtime.statistics().compiles;
  const auto at_once = runtime.bind<&read_word>(&on.system, &file, _, _, _);
  at_once.wait();
  EXPECT_EQ(runtime.statistics().compiles, compiles);
  const auto nothing_more = opened.bind(_, _, _);
  nothing_more.wait();
  EXPECT_EQ(runtime.statistics().compiles, compiles);
}

TEST(Stages, OfManyObjectsShareImages) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  const auto mount = runtime.bind<&read_word>(&on.system, _, _, _, _);
  mount.wait();
  std::deque<OpenFile> files;
  std::vector<Invariant> declared;
  std::vector<decltype(mount.bind(static_cast<OpenFile *>(nullptr), _, _, _))> opened;
  const auto before = runtime.statistics();
  for (unsigned i = 0; i < 100; ++i) { // more than one compiler context serves
    files.push_back({i % 2 == 0 ? scramble : shift, 5 + i % 3, 3, 0, 0});
    declared.push_back(invariant(files.back()));
    opened.push_back(mount.bind(&files.back(), _, _, _));
    opened.back().wait();
    OpenFile same = files.back();
    ASSERT_EQ(opened.back()(kWindow, 2U, 40U), read_word(&on.system, &same, kWindow, 2, 40));
  }
  const auto after = runtime.statistics();
  EXPECT_LE(after.compiles - before.compiles, 12U);
  EXPECT_EQ(after.staged - before.staged, after.compiles - before.compiles);
  EXPECT_EQ(after.alike - before.alike, 100 - (after.compiles - before.compiles));
}

TEST(Stages, AreInTheConfigurationOfTheFirst) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  OpenFile file{scramble, 77, 3, 0, 0};
  OpenFile same = file;
  const auto declared = invariant(file);
  runtime.specialize({{"mode", 2}, {"late mode", 2}});
  const auto mount = runtime.bind<&read_word>(&on.system, _, _, _, _);
  const auto mount_late = runtime.bind<&read_deep>(&on.system, _, _, _, _);
  runtime.specialize({});
  const auto opened = mount.bind(&file, _, _, _);
  const auto opened_late = mount_late.bind(&file, _, _, _);
  opened.wait();
  opened_late.wait();
  const auto counted = [&](const char *label) {
    return runtime.statistics().guard_failures[label];
  };
  for (unsigned mode = 1; mode <= 3; ++mode) {
    EXPECT_EQ(opened(kWindow, mode, 40U), read_word(&on.system, &same, kWindow, mode, 40));
    EXPECT_EQ(opened_late(3U, mode, 40U), read_deep(&on.system, &same, 3, mode, 40));
    EXPECT_EQ(file.reads, same.reads);
  }
  EXPECT_EQ(counted("mode"), 2U);
  EXPECT_GE(counted("late mode"), 2U);
}

TEST(Stages, WithSideExitsIntoNativeCodePassOnWhatIsInMemory) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  OpenFile file{scramble, 77, 3, 0, 0};
  OpenFile same = file;
  runtime.specialize({{"mode", 2}});
  const auto opened = runtime.bind<&read_word>(&on.system, &file, _, _, _);
  const auto all = opened.bind(kWindow, _, _);
  all.wait();
  for (unsigned mode = 1; mode <= 3; ++mode)
    EXPECT_EQ(all(mode, 40U), read_word(&on.system, &same, kWindow, mode, 40));
  EXPECT_EQ(file.reads, same.reads);
}

TEST(Stages, FoldVolatileMemoryThatIsDeclaredInvariantLater) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  OpenFile file{scramble, 77, 3, 0, 0};
  const auto mount = runtime.bind<&read_word>(&on.system, _, _, _, _);
  mount.wait();
  const Invariant declared(&file, offsetof(OpenFile, reads));
  const auto opened = mount.bind(&file, _, _, _);
  opened.wait();
  file.locked = 1; // without a guard: shows that it is folded
  EXPECT_NE(opened(kWindow, 2U, 40U), 2U);
  file.locked = 0;
}

TEST(Stages, DoWithoutAQuasiInvariantThatIsInvalidatedBetweenThem) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  const Mounted changed({{0, 1}});
  std::array<OpenFile, 2> files{{{scramble, 77, 3, 0, 0}, {scramble, 78, 3, 0, 0}}};
  FileSystem system = on.system;
  sartor::QuasiInvariant quasi_invariant("system");
  quasi_invariant.add(&system, sizeof system);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  const auto mount = runtime.bind<&read_word>(&system, _, _, _, _);
  std::vector opened{mount.bind(files.data(), _, _, _)};
  opened[0].wait();
  EXPECT_EQ(opened[0](kWindow, 1U, kWhatIsKnown), kRulesAreKnown);
  const sartor::Write write(quasi_invariant);
  system = changed.system;
  opened.push_back(mount.bind(&files[1], _, _, _));
  opened[1].wait();
  for (std::size_t i = 0; i < files.size(); ++i) {
    OpenFile same = files[i];
    EXPECT_EQ(opened[i](kWindow, 2U, 40U), read_word(&system, &same, kWindow, 2, 40));
    EXPECT_EQ(opened[i](kWindow, 1U, kWhatIsKnown), 0U);
  }
}

TEST(Stages, GoOnWhileAQuasiInvariantIsInvalidatedAllTheTime) {
  sartor::Runtime runtime;
  const Mounted one = mounted();
  const Mounted other({{1, 3}, {0, 8}});
  FileSystem system = one.system;
  sartor::QuasiInvariantOptions options;
  options.back_off = std::chrono::milliseconds(1);
  options.longest_back_off = std::chrono::milliseconds(2);
  sartor::QuasiInvariant quasi_invariant("system", options);
  quasi_invariant.add(&system, sizeof system);
  const auto mount = runtime.bind<&read_word>(&system, _, _, _, _);
  std::jthread writer([&](const std::stop_token &stop) {
    for (bool is_other = false; !stop.stop_requested(); is_other = !is_other) {
      {
        const sartor::Write write(quasi_invariant);
        system = is_other ? other.system : one.system;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  });
  std::deque<OpenFile> files;
  for (unsigned i = 0; i < 40; ++i) {
    files.push_back({scramble, i, 2, 0, 0});
    const auto opened = mount.bind(&files.back(), _, _, _);
    opened.wait();
    OpenFile same = files.back();
    const std::uint64_t now = opened(kWindow, 2U, 40U); // of either, depending on which is ready
    EXPECT_THAT((std::array{read_word(&one.system, &same, kWindow, 2, 40),
                            read_word(&other.system, &same, kWindow, 2, 40)}),
                testing::Contains(now));
  }
}

TEST(Stages, DoWithoutARevokedInvariant) {
  sartor::Runtime runtime;
  auto on = std::make_unique<Mounted>(std::vector<FileSystem::Rule>{{0, 5}, {1, 7}});
  OpenFile file{scramble, 77, 3, 0, 0};
  OpenFile other{scramble, 78, 3, 0, 0};
  const auto mount = runtime.bind<&read_word>(&on->system, _, _, _, _);
  mount.bind(&file, _, _, _).wait();
  on->declared.invalidate();
  on->rules[0].by = 1000;
  const auto opened = mount.bind(&other, _, _, _);
  opened.wait();
  OpenFile same = other;
  EXPECT_EQ(opened(kWindow, 2U, 40U), read_word(&on->system, &same, kWindow, 2, 40));
}

TEST(Stages, OutliveTheFirstAndTheRuntime) {
  const Mounted on = mounted();
  OpenFile file{scramble, 77, 3, 0, 0};
  OpenFile same = file;
  std::optional<sartor::Runtime> runtime(std::in_place);
  auto mount = std::optional(runtime->bind<&read_word>(&on.system, _, _, _, _));
  const auto opened = mount->bind(&file, _, _, _);
  mount.reset();
  runtime.reset();
  const auto all = opened.bind(kWindow, _, _);
  all.wait();
  EXPECT_EQ(all(2U, 40U), read_word(&on.system, &same, kWindow, 2, 40));
}

TEST(Stages, PastTheLimitKnowLess) {
  sartor::Runtime runtime;
  runtime.limit_bindings<&read_word>(3, {1, 2});
  const Mounted on = mounted();
  std::deque<OpenFile> files;
  const auto mount = runtime.bind<&read_word>(&on.system, _, _, _, _);
  std::vector<decltype(mount.bind(static_cast<OpenFile *>(nullptr), kWindow, _, _))> opened;
  for (unsigned i = 0; i < 8; ++i) {
    files.push_back({scramble, i, 3, 0, 0});
    opened.push_back(mount.bind(&files.back(), kWindow, _, _));
    opened.back().wait();
  }
  for (unsigned i = 0; i < 8; ++i) {
    const auto further = opened[i].bind(2U, _);
    further.wait();
    OpenFile same = files[i];
    EXPECT_EQ(further(40U), read_word(&on.system, &same, kWindow, 2, 40));
  }
  EXPECT_LE(runtime.statistics().variants, 4U);
}

TEST(Stages, KnowMoreThanTheyCanKeep) {
  sartor::Runtime runtime;
  runtime.limit_bindings<&read_word>(3000, {});
  std::deque<Mounted> mounts;
  std::deque<OpenFile> files;
  std::vector<decltype(runtime.bind<&read_word>(&mounts[0].system, _, _, _, _))> mounted;
  const auto check = [&](std::size_t mount, std::uint64_t key) {
    files.push_back({shift, key, 3, 0, 0});
    OpenFile same = files.back();
    const auto opened = mounted[mount].bind(&files.back(), _, _, _);
    opened.wait();
    ASSERT_EQ(opened(kWindow, 2U, 40U), read_word(&mounts[mount].system, &same, kWindow, 2, 40));
  };
  for (unsigned i = 0; i < 100; ++i) { // each of some two thousand instructions
    std::vector<FileSystem::Rule> rules;
    for (unsigned rule = 0; rule < 600; ++rule)
      rules.push_back({rule % 3, i + rule});
    mounts.emplace_back(std::move(rules));
    mounted.push_back(runtime.bind<&read_word>(&mounts.back().system, _, _, _, _));
    check(i, 1);
  }
  check(0, 2);
}

TEST(Stages, ThatDoNotFitAreRefused) {
  sartor::Runtime runtime;
  const Mounted on = mounted();
  const auto share = runtime.bind("read_word", {{3, 2}});
  EXPECT_EQ(failing([&] { (void)share.further({{3, 2}, {9, 1}}); }), ErrorCode::bad_binding);
  EXPECT_EQ(failing([&] { (void)share.further({{3, 2}, {4, 0.5}}); }), ErrorCode::bad_binding);
}

} // namespace
