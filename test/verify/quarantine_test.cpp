// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/quarantine.h"

#include <ctime>
#include <fstream>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "state_for_test.h"

namespace sartor {
namespace {

namespace fs = std::filesystem;
using core::Quarantine;
using core::QuarantineEntry;
using core::QuarantineReason;
using test::key_named;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class QuarantineStore : public test::StateForTest {
protected:
  [[nodiscard]] fs::path file(const std::string &name) const {
    return folder() / (base::to_text(key_named(name).hash) + ".json");
  }
  static QuarantineEntry entry(const std::string &name,
                               QuarantineReason reason = QuarantineReason::different) {
    return quarantine_entry(key_named(name), name + "{B=16}", reason);
  }
  static bool quarantines(Quarantine &store, const std::string &name) {
    return store.contains(key_named(name).hash);
  }
  /// Another process's view: nothing in memory.
  [[nodiscard]] bool others_quarantine(const std::string &name) const {
    Quarantine other(state());
    return quarantines(other, name);
  }
};

TEST_F(QuarantineStore, WithoutAFolderHasNothing) {
  Quarantine store(state());
  EXPECT_FALSE(quarantines(store, "blend"));
  EXPECT_THAT(*store.list(), IsEmpty());
  EXPECT_FALSE(*store.remove(base::to_text(key_named("blend").hash)));
  EXPECT_EQ(*store.clear(), 0U);
  EXPECT_THAT(*store.take_crashes(), IsEmpty());
  EXPECT_FALSE(fs::exists(state()));
}

TEST_F(QuarantineStore, KeepsAnEntry) {
  Quarantine store(state());
  QuarantineEntry made = entry("blend", QuarantineReason::crashed);
  made.signal = SIGSEGV;
  made.reproducer = "/tmp/blend.json";
  ASSERT_TRUE(store.add(made));
  EXPECT_TRUE(quarantines(store, "blend"));
  EXPECT_FALSE(quarantines(store, "other"));
  EXPECT_TRUE(others_quarantine("blend"));
  EXPECT_FALSE(others_quarantine("other"));
  const auto all = Quarantine(state()).list();
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_THAT(*all, testing::ElementsAre(made));
  EXPECT_EQ(text_of(all->front()), "crashed (SIGSEGV) in 1 process");
}

TEST_F(QuarantineStore, IsForThisUserAlone) {
  ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  for (const fs::path &each : {state(), folder()})
    EXPECT_EQ(fs::status(each).permissions(), fs::perms::owner_all) << each;
  EXPECT_EQ(fs::status(file("blend")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(QuarantineStore, CountsAProcessOnceForEachKey) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  EXPECT_EQ(Quarantine(state()).list()->front().processes, 1U);
}

TEST_F(QuarantineStore, CountsProcessesThatAddAtOnce) {
  constexpr unsigned kProcesses = 8;
  std::vector<pid_t> children;
  for (unsigned i = 0; i < kProcesses; ++i) {
    children.push_back(fork());
    if (children.back() == 0)
      _exit(Quarantine(state()).add(entry("blend")) ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto all = Quarantine(state()).list();
  ASSERT_THAT(*all, SizeIs(1));
  EXPECT_EQ(all->front().processes, kProcesses);
}

TEST_F(QuarantineStore, SeesWhatAnotherProcessHasAdded) {
  Quarantine store(state());
  ASSERT_TRUE(store.add(entry("first")));
  EXPECT_FALSE(quarantines(store, "second"));
  const pid_t child = fork();
  if (child == 0)
    _exit(Quarantine(state()).add(entry("second")) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(quarantines(store, "second"));
}

TEST_F(QuarantineStore, ReplacesTheUnfinishedFileOfAProcessThatWasKilled) {
  ASSERT_TRUE(Quarantine(state()).add(entry("other")));
  constexpr unsigned kMostWritten = 5000; // by this process until now
  const std::string begin =
      "." + base::to_text(key_named("blend").hash) + "." + std::to_string(getpid()) + ".";
  for (unsigned i = 0; i < kMostWritten; ++i)
    std::ofstream(folder() / (begin + std::to_string(i) + ".tmp")) << "{";
  const auto added = Quarantine(state()).add(entry("blend"));
  EXPECT_TRUE(added) << added.error().text();
  EXPECT_TRUE(others_quarantine("blend"));
}

TEST_F(QuarantineStore, ForgetsTheTimeOfAClockThatWasSetBack) {
  const std::int64_t now = std::time(nullptr);
  QuarantineEntry late = entry("blend");
  late.first = late.last = now + 1'000'000;
  ASSERT_TRUE(Quarantine(state()).add(late));
  QuarantineEntry later = entry("blend");
  later.first = later.last = now;
  ASSERT_TRUE(Quarantine(state()).add(later));
  EXPECT_EQ(Quarantine(state()).list()->front().last, now);
}

TEST_F(QuarantineStore, RemovesEntries) {
  ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  ASSERT_TRUE(Quarantine(state()).add(entry("other")));
  EXPECT_TRUE(*Quarantine(state()).remove(base::to_text(key_named("blend").hash)));
  EXPECT_FALSE(others_quarantine("blend"));
  EXPECT_TRUE(others_quarantine("other"));
  EXPECT_EQ(*Quarantine(state()).clear(), 1U);
  EXPECT_FALSE(others_quarantine("other"));
}

TEST_F(QuarantineStore, ADamagedEntryStillQuarantines) {
  ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  const std::uintmax_t bytes = fs::file_size(file("blend"));
  for (const std::uintmax_t left : {std::uintmax_t{0}, bytes / 2}) {
    fs::resize_file(file("blend"), left);
    EXPECT_TRUE(others_quarantine("blend"));
    const auto all = Quarantine(state()).list();
    ASSERT_THAT(*all, SizeIs(1));
    EXPECT_EQ(all->front().key, base::to_text(key_named("blend").hash));
    EXPECT_NE(all->front().damage, "");
  }
  EXPECT_EQ(*Quarantine(state()).clear(), 1U);
}

TEST_F(QuarantineStore, WrongContentIsDamage) {
  ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  const auto damage = [&](const std::string &content) {
    std::ofstream(file("blend")) << content;
    const auto all = Quarantine(state()).list();
    return all && all->size() == 1 ? all->front().damage : "";
  };
  EXPECT_THAT(damage("[]"), HasSubstr("is not a JSON object"));
  EXPECT_THAT(damage("{}"), HasSubstr("has no valid field key"));
  const nlohmann::ordered_json right = to_json(entry("blend"));
  EXPECT_EQ(damage(dump(right)), "");
  for (const auto &[field, wrong] :
       std::vector<std::pair<std::string, nlohmann::ordered_json>>{{"reason", "odd"},
                                                                   {"signal", 1000},
                                                                   {"processes", -1},
                                                                   {"processes", 1e30},
                                                                   {"first", "yesterday"},
                                                                   {"configuration", 7}}) {
    auto changed = right;
    changed[field] = wrong;
    EXPECT_THAT(damage(dump(changed)), HasSubstr("has no valid field " + field));
  }
  EXPECT_THAT(damage(dump(to_json(entry("other")))), HasSubstr("another key"));
  EXPECT_THAT(damage(std::string(1 << 20, ' ')), HasSubstr("cannot be read"));
}

TEST_F(QuarantineStore, ALinkQuarantinesAndIsNotFollowed) {
  ASSERT_TRUE(Quarantine(state()).add(entry("other")));
  const fs::path target = path("target");
  std::ofstream(target) << "precious";
  fs::create_symlink(target, file("blend"));
  EXPECT_TRUE(others_quarantine("blend"));
  EXPECT_THAT(*Quarantine(state()).list(), SizeIs(2));
  ASSERT_TRUE(Quarantine(state()).add(entry("blend"))); // replaces the link
  std::string content;
  std::ifstream(target) >> content;
  EXPECT_EQ(content, "precious");
  EXPECT_FALSE(fs::is_symlink(file("blend")));
}

TEST_F(QuarantineStore, EverythingIsQuarantinedWhileOthersCanWrite) {
  ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  for (const fs::path &each : {folder(), state()}) {
    fs::permissions(each, fs::perms::others_write, fs::perm_options::add);
    Quarantine store(state());
    EXPECT_TRUE(quarantines(store, "never seen")) << each;
    const Failure refusal = store.refusal(key_named("never seen"), "never{}");
    EXPECT_EQ(refusal.code, ErrorCode::file_error);
    EXPECT_EQ(refusal.message, "can be written by others");
    EXPECT_THAT(refusal.remedy, HasSubstr("chmod go-w " + each.string()));
    EXPECT_FALSE(store.list());
    EXPECT_FALSE(store.clear());
    EXPECT_FALSE(store.add(entry("other")));
    fs::permissions(each, fs::perms::others_write, fs::perm_options::remove);
  }
  EXPECT_FALSE(others_quarantine("never seen"));
}

TEST_F(QuarantineStore, AFolderOfAnotherUserIsNotTrusted) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to give a folder to another user";
  ASSERT_TRUE(Quarantine(state()).add(entry("blend")));
  constexpr uid_t kOther = 12345;
  ASSERT_EQ(chown(folder().c_str(), kOther, kOther), 0);
  EXPECT_TRUE(others_quarantine("never seen"));
  EXPECT_FALSE(Quarantine(state()).list());
  ASSERT_EQ(chown(folder().c_str(), 0, 0), 0);
  ASSERT_EQ(chown(file("blend").c_str(), kOther, kOther), 0);
  EXPECT_TRUE(others_quarantine("blend"));
  EXPECT_THAT(Quarantine(state()).list()->front().damage, HasSubstr("another user"));
}

TEST_F(QuarantineStore, AFolderThatIsALinkIsNotTrusted) {
  fs::create_directories(path("elsewhere"));
  fs::create_directories(state());
  fs::permissions(state(), fs::perms::owner_all);
  fs::create_directory_symlink(path("elsewhere"), folder());
  EXPECT_TRUE(others_quarantine("blend"));
  EXPECT_FALSE(Quarantine(state()).add(entry("blend")));
  EXPECT_THAT(fs::directory_iterator(path("elsewhere")), testing::Eq(fs::directory_iterator()));
}

TEST_F(QuarantineStore, WhatCannotBeWrittenIsQuarantinedForThisProcess) {
  fs::create_directories(state());
  fs::permissions(state(), fs::perms::owner_all);
  std::ofstream(folder()) << "a file";
  Quarantine store(state());
  const auto added = store.add(entry("blend"));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::file_error);
  EXPECT_TRUE(quarantines(store, "blend"));
}

TEST_F(QuarantineStore, WithoutADirectoryIsOfThisProcess) {
  Quarantine store({});
  EXPECT_FALSE(quarantines(store, "blend"));
  EXPECT_TRUE(store.add(entry("blend")));
  EXPECT_TRUE(quarantines(store, "blend"));
  EXPECT_THAT(store.refusal(key_named("blend"), "blend{B=16}").message, HasSubstr("this process"));
  EXPECT_THAT(*store.list(), IsEmpty());
}

TEST_F(QuarantineStore, MakesRoomByRemovingEntriesOfOtherBuilds) {
  constexpr int kMost = 1000;
  QuarantineEntry old = entry("old");
  old.build = "another build";
  ASSERT_TRUE(Quarantine(state()).add(old));
  for (int i = 0; i < kMost - 1; ++i) {
    const std::string name = "n" + std::to_string(i);
    std::ofstream(file(name)) << dump(to_json(entry(name)));
  }
  ASSERT_TRUE(Quarantine(state()).add(entry("new")));
  EXPECT_FALSE(others_quarantine("old"));
  EXPECT_TRUE(others_quarantine("new"));
  Quarantine store(state());
  const auto refused = store.add(entry("one more"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().remedy, HasSubstr("sartor quarantine clear"));
  EXPECT_TRUE(quarantines(store, "one more"));
}

TEST_F(QuarantineStore, MarkersBecomeEntries) {
  ASSERT_TRUE(Quarantine(state()).add(entry("other")));
  QuarantineEntry crashed = entry("blend", QuarantineReason::crashed);
  crashed.signal = SIGILL;
  const auto marker = [&](int process, const std::string &name) {
    return folder() /
           ("crashed." + std::to_string(process) + "." + base::to_text(key_named(name).hash));
  };
  std::ofstream(marker(11, "blend")) << dump(to_json(crashed));
  std::ofstream(marker(12, "blend")) << dump(to_json(crashed));
  std::ofstream(marker(13, "empty")).flush();
  EXPECT_THAT(*Quarantine(state()).take_crashes(), SizeIs(3));
  EXPECT_FALSE(fs::exists(marker(11, "blend")));
  EXPECT_TRUE(others_quarantine("empty"));
  for (const QuarantineEntry &each : *Quarantine(state()).list())
    if (each.handler == "blend") {
      EXPECT_EQ(each.processes, 2U);
      EXPECT_EQ(each.signal, SIGILL);
      EXPECT_EQ(each.variant, "blend{B=16}");
    }
  EXPECT_THAT(*Quarantine(state()).list(), SizeIs(3));
  EXPECT_THAT(*Quarantine(state()).take_crashes(), IsEmpty());
}

TEST_F(QuarantineStore, KeysNameTheSameCodeInAllProcesses) {
  core::HandlerModule module;
  module.identity = "module";
  core::Context context;
  context.handler = "blend";
  const core::Making making{"skylake", "build 1"};
  const auto key = [&](const core::Making &by) { return quarantine_key(module, context, {}, by); };
  EXPECT_EQ(key(making).hash, *request_key(module, context, {}, making));
  EXPECT_NE(key(making).hash, key({"skylake", "build 2"}).hash);
  // A request with a plugin has no key in caches.
  const Pipeline pipeline{"", {"/plugin.so"}};
  const auto fallback = quarantine_key(module, context, pipeline, making);
  EXPECT_EQ(fallback, quarantine_key(module, context, pipeline, making));
  EXPECT_NE(fallback.hash, quarantine_key(module, context, pipeline, {"skylake", "build 2"}).hash);
  context.handler = "other";
  EXPECT_NE(fallback.hash, quarantine_key(module, context, pipeline, making).hash);
}

TEST_F(QuarantineStore, FindsTheStateDirectory) {
  EXPECT_EQ(core::state_directory("/chosen"), "/chosen");
  setenv("HOME", "/home/user", 1);
  unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(core::state_directory(""), "/home/user/.local/state/sartor");
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(core::state_directory(""), "/state/sartor");
  setenv("XDG_STATE_HOME", "not/absolute", 1);
  EXPECT_EQ(core::state_directory(""), "/home/user/.local/state/sartor");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(core::state_directory(""), "");
}

} // namespace
} // namespace sartor
