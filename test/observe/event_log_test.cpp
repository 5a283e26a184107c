// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/event_log.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../files_of_the_program.h"

namespace sartor {
namespace {

namespace fs = std::filesystem;

class EventLogTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sartor-event-log-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder); }

  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> parsed;
    std::ifstream in(path());
    for (std::string line; std::getline(in, line);)
      parsed.push_back(nlohmann::json::parse(line));
    return parsed;
  }
  [[nodiscard]] fs::path path() const { return folder / "events.jsonl"; }

  fs::path folder;
  const nlohmann::ordered_json nothing = nlohmann::ordered_json::object();
};

TEST_F(EventLogTest, EachEventIsOneJsonLine) {
  auto log = EventLog::open(path()).value();
  log->append("switch", {{"text", "{B=16}"}, {"n", 1}});
  log->append("stop", nothing);
  const auto events = lines();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0]["event"], "switch");
  EXPECT_EQ(events[0]["text"], "{B=16}");
  EXPECT_EQ(events[0]["n"], 1);
  EXPECT_EQ(events[1].size(), 2U);
  EXPECT_EQ(log->dropped(), 0U);
}

TEST_F(EventLogTest, TimesGrowFromTheOpening) {
  auto log = EventLog::open(path()).value();
  log->append("a", nothing);
  log->append("b", nothing);
  const auto events = lines();
  EXPECT_GE(events[0]["t"].get<double>(), 0);
  EXPECT_GE(events[1]["t"].get<double>(), events[0]["t"].get<double>());
}

TEST_F(EventLogTest, FieldsOverSeveralLinesBecomeOne) {
  auto log = EventLog::open(path()).value();
  log->append_text("a", "{\n\"x\":\n1}");
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0]["x"], 1);
}

TEST_F(EventLogTest, AnExistingLogIsAppendedTo) {
  EventLog::open(path()).value()->append("a", nothing);
  EventLog::open(path()).value()->append("b", nothing);
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(EventLogTest, LinesOfManyThreadsStayWhole) {
  auto log = EventLog::open(path()).value();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 250; ++i)
          log->append("a", {{"thread", thread}});
      });
  }
  std::map<int, int> count;
  for (const auto &event : lines())
    ++count[event["thread"].get<int>()];
  EXPECT_THAT(count, testing::ElementsAre(testing::Pair(0, 250), testing::Pair(1, 250),
                                          testing::Pair(2, 250), testing::Pair(3, 250)));
}

TEST_F(EventLogTest, FileThatCannotBeOpenedIsAnError) {
  const auto log = EventLog::open(folder / "missing" / "events.jsonl");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::file_error);
  EXPECT_THAT(log.error().subject, testing::EndsWith("missing/events.jsonl"));
}

TEST_F(EventLogTest, PipeIsRefusedWithoutWaitingForItsReader) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  const auto log = EventLog::open(path());
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::file_error);
}

TEST_F(EventLogTest, FullDiskDropsAndCounts) {
  auto log = EventLog::open("/dev/full").value();
  log->append("a", nothing);
  log->append("b", nothing);
  EXPECT_EQ(log->dropped(), 2U);
}

/// Lets this process make no file larger.
void limit_files(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(EventLogTest, PartOfALineDoesNotBreakTheNext) {
  EXPECT_TRUE(is_true_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    auto log = EventLog::open(path()).value();
    log->append("first", nothing);
    limit_files(fs::file_size(path()) + 5);
    log->append("torn", nothing);
    log->append("lost", nothing); // not a byte of it is written
    limit_files(before.rlim_cur);
    log->append("next", nothing);
    limit_files(fs::file_size(path()) + 5);
    log->append("torn", nothing);
    limit_files(before.rlim_cur);
    EventLog::open(path()).value()->append("of another run", nothing);
    return log->dropped() == 3;
  }));
  std::vector<std::string> whole;
  std::ifstream in(path());
  for (std::string line; std::getline(in, line);)
    if (const auto event = nlohmann::json::parse(line, nullptr, false); event.is_object())
      whole.push_back(event["event"]);
  EXPECT_THAT(whole, testing::ElementsAre("first", "next", "of another run"));
}

TEST_F(EventLogTest, FieldsThatAreNoJsonObjectAreDroppedAndCounted) {
  auto log = EventLog::open(path()).value();
  log->append_text("a", "{\"x\":");
  log->append_text("a", "[1]");
  log->append_text("a", "");
  log->append("a", "text");
  EXPECT_EQ(log->dropped(), 4U);
  EXPECT_TRUE(lines().empty());
}

TEST_F(EventLogTest, BytesThatAreNoTextDoNotBreakTheLine) {
  auto log = EventLog::open(path()).value();
  log->append("\xff\n\"", nothing);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0]["event"], "\uFFFD\n\"");
}

TEST_F(EventLogTest, FailuresWhoseTextIsNoUtf8AreReported) {
  auto log = EventLog::open(path()).value();
  log->failure("failure", {ErrorCode::bad_generator, "caf\xe9", "threw caf\xe9", "mend it"});
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0]["code"], "bad_generator");
  EXPECT_EQ(lines()[0]["subject"], "caf\uFFFD");
  EXPECT_THAT(lines()[0]["message"].get<std::string>(), testing::HasSubstr("threw caf\uFFFD"));
}

TEST_F(EventLogTest, NewLogIsThisUsersAlone) {
  const mode_t before = umask(0);
  (void)EventLog::open(path()).value();
  umask(before);
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(EventLogTest, LinkIsNotFollowed) {
  std::ofstream(folder / "precious") << "kept\n";
  fs::create_symlink(folder / "precious", path());
  const auto log = EventLog::open(path());
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, testing::HasSubstr("symbolic link"));
}

TEST_F(EventLogTest, FileWithASecondNameIsNotWrittenTo) {
  std::ofstream(folder / "precious") << "kept\n";
  fs::create_hard_link(folder / "precious", path());
  const auto log = EventLog::open(path());
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, testing::HasSubstr("several names"));
}

TEST_F(EventLogTest, FileOfAnotherUserIsNotWrittenTo) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  std::ofstream(path()) << "";
  ASSERT_EQ(chown(path().c_str(), 65534, 65534), 0);
  const auto log = EventLog::open(path());
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, testing::HasSubstr("another user"));
}

TEST_F(EventLogTest, LinksOfTheSystemBelowDevAreFollowed) {
  ASSERT_EQ(freopen((folder / "out").c_str(), "w", stderr), stderr);
  EXPECT_TRUE(EventLog::open("/dev/stderr"));
}

TEST_F(EventLogTest, AtStandardErrorMayBeAPipe) {
  EXPECT_TRUE(is_true_in_child([&] {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0)
      return false;
    dup2(pipe[1], STDERR_FILENO);
    const auto log = EventLog::open("/dev/stderr").value();
    log->append("seen", nothing);
    std::array<char, 1024> text{};
    const auto size = read(pipe[0], text.data(), text.size());
    close(pipe[0]);
    log->append("unread", nothing); // raises no SIGPIPE
    return size > 0 && std::string(text.data()).contains("\"seen\"") && log->dropped() == 1;
  }));
}

TEST_F(EventLogTest, GoesOnInItsFileWhenTheProgramHasClosedIt) {
  EXPECT_TRUE(is_true_in_child([&] {
    fs::current_path(folder);
    auto log = EventLog::open("events.jsonl").value();
    fs::current_path("/");
    closefrom(STDERR_FILENO + 1); // the same descriptor number is assigned again
    log->append("before", nothing);
    const FilesOfTheProgram own;
    log->append("after", nothing);
    log->append("after", nothing);
    const bool is_complete = log->dropped() == 0;
    log.reset();
    return is_complete && own.are_untouched();
  }));
  const auto events = lines();
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0]["event"], "descriptor_lost");
  EXPECT_EQ(events[1]["event"], "before");
  EXPECT_EQ(events[2]["event"], "descriptor_lost");
  EXPECT_EQ(events[2]["code"], "file_error");
  EXPECT_EQ(events[2]["subject"], path().string());
  EXPECT_THAT(events[2]["remedy"].get<std::string>(), testing::HasSubstr("close only what"));
  EXPECT_EQ(events[4]["event"], "after");
}

TEST_F(EventLogTest, GoesOnInANewFileWhenItsOwnIsGoneToo) {
  EXPECT_TRUE(is_true_in_child([&] {
    auto log = EventLog::open(path()).value();
    fs::remove(path());
    // A file of the program may get the inode number that the log's file had.
    closefrom(STDERR_FILENO + 1);
    const int own = open((folder / "own").c_str(), O_RDWR | O_CREAT, 0600);
    log->append("after", nothing);
    return lseek(own, 0, SEEK_END) == 0;
  }));
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(EventLogTest, AtStandardErrorIsNotAFileThatTheProgramOpensThere) {
  EXPECT_TRUE(is_true_in_child([&] {
    // Standard error may be a socket, which cannot be opened by a name.
    const int file = open(path().c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
    auto log = EventLog::open("/dev/stderr").value();
    const FilesOfTheProgram own(STDERR_FILENO);
    log->append("after", nothing);
    return log->dropped() == 1 && own.are_untouched();
  }));
}

TEST_F(EventLogTest, HasAllLinesWhenItIsLostAmongThreads) {
  constexpr int kThreads = 4, kLines = 500;
  EXPECT_TRUE(is_true_in_child([&] {
    auto log = EventLog::open(path()).value();
    std::vector<std::thread> threads;
    const FilesOfTheProgram own;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (int line = 0; line < kLines; ++line)
          log->append("line", nothing);
      });
    for (auto &each : threads)
      each.join();
    return log->dropped() == 0 && own.are_untouched();
  }));
  EXPECT_EQ(lines().size(), 1U + kThreads * kLines);
}

} // namespace
} // namespace sartor
