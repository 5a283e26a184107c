// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/best_known_file.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../files_of_the_program.h"

namespace sartor {
namespace {

class BestKnownInAFile : public testing::Test {
protected:
  BestKnownInAFile() { std::filesystem::create_directories(directory_); }
  ~BestKnownInAFile() override { std::filesystem::remove_all(directory_); }
  BestKnownInAFile(const BestKnownInAFile &) = delete;
  BestKnownInAFile &operator=(const BestKnownInAFile &) = delete;

  static BestKnown winner(std::uint64_t value, std::string workload = "") {
    return {{std::move(workload), {}}, Configuration{{"B", value}}};
  }
  void write(const std::string &text) const { std::ofstream(path, std::ios::app) << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("sartor-winners-" + std::to_string(getpid()));
  const std::filesystem::path path = directory_ / "best_known";
  const BestKnownFile file{path, "requests"};
};

TEST_F(BestKnownInAFile, ThatIsNotThereAreNone) {
  const auto contents = file.read();
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->best_known.empty());
  EXPECT_EQ(contents->left_out, 0U);
}

TEST_F(BestKnownInAFile, ComeBackTheLatestFirst) {
  ASSERT_TRUE(file.add(winner(1, "day")));
  ASSERT_TRUE(file.add(winner(2, "night")));
  ASSERT_TRUE(file.add(winner(1, "day")));
  const auto contents = file.read();
  ASSERT_EQ(contents->best_known.size(), 2U);
  EXPECT_EQ(contents->best_known[0].configuration, winner(1).configuration);
  EXPECT_EQ(contents->best_known[0].signature.name, "day");
  EXPECT_EQ(contents->best_known[1].signature.name, "night");
}

TEST_F(BestKnownInAFile, KeepWhatPointsSaw) {
  BestKnown seen = winner(1);
  Shape::Point &point = seen.signature.shape.points()["N"];
  point.count = 1000;
  point.shares[{Value(64)}] = 0.75;
  point.shares[{Value("caf\xc3\xa9")}] = 0.25;
  ASSERT_TRUE(file.add(seen));
  const auto contents = file.read();
  ASSERT_EQ(contents->best_known.size(), 1U);
  const auto &points = contents->best_known.front().signature.shape.points();
  ASSERT_TRUE(points.contains("N"));
  EXPECT_EQ(points.at("N").count, 1000);
  EXPECT_EQ(points.at("N").shares, point.shares);
  EXPECT_EQ(distance(seen.signature, contents->best_known.front().signature), 0);
}

/// The configuration for a workload without a name, whose point always saw `value`.
BestKnown winner_where(std::uint64_t value) {
  BestKnown seen{{}, Configuration{{"B", 1}}};
  Shape::Point &point = seen.signature.shape.points()["N"];
  point.count = 1000;
  point.shares[{Value(value)}] = 1;
  return seen;
}

TEST_F(BestKnownInAFile, OfWorkloadsWithoutNamesAreToldApartByWhatPointsSaw) {
  const BestKnown nothing_seen{{}, Configuration{{"B", 1}}};
  for (const BestKnown &each :
       {nothing_seen, winner_where(64), winner_where(256), winner_where(64), nothing_seen})
    ASSERT_TRUE(file.add(each));
  const auto contents = file.read();
  ASSERT_EQ(contents->best_known.size(), 3U);
  EXPECT_EQ(distance(contents->best_known[1].signature, winner_where(64).signature), 0);
  EXPECT_EQ(distance(contents->best_known[2].signature, winner_where(256).signature), 0);
}

TEST_F(BestKnownInAFile, OfWorkloadsWithoutNamesStayWhenItBecomesShorter) {
  ASSERT_TRUE(file.add(winner_where(64)));
  ASSERT_TRUE(file.add(winner_where(256)));
  const std::string workload(5000, 'w');
  for (int i = 0; i < 250; ++i)
    ASSERT_TRUE(file.add({{workload, {}}, Configuration{{"B", 1}}}));
  EXPECT_LT(std::filesystem::file_size(path), 500'000U);
  EXPECT_EQ(file.read()->best_known.size(), 3U);
}

TEST_F(BestKnownInAFile, OfAnotherObjectiveAreLeftOut) {
  ASSERT_TRUE(BestKnownFile(path, "joules").add(winner(3)));
  ASSERT_TRUE(file.add(winner(4)));
  const auto contents = file.read();
  ASSERT_EQ(contents->best_known.size(), 1U);
  EXPECT_EQ(contents->best_known.front().configuration, winner(4).configuration);
  EXPECT_EQ(contents->left_out, 1U);
}

TEST_F(BestKnownInAFile, ThatIsDamagedAreReadAsFarAsTheyCanBe) {
  ASSERT_TRUE(file.add(winner(1)));
  write("\xff\xfe no JSON\n[]\n{\"best_known\":{\"B\":[[]]},\"objective\":\"requests\"}\n{}\n"
        "{\"best_known\":{\"B\":1},\"objective\":\"requests\",\"workload\":3,\"points\":{}}\n"
        "{\"best_known\":{\"B\":1},\"objective\":\"requests\",\"workload\":\"\",\"points\":[1]}\n");
  ASSERT_TRUE(file.add(winner(2)));
  const auto contents = file.read();
  ASSERT_EQ(contents->best_known.size(), 2U);
  EXPECT_EQ(contents->left_out, 6U);
}

TEST_F(BestKnownInAFile, AreNotLostBehindATornLine) {
  write("{\"best_known\":{\"B\"");
  ASSERT_TRUE(file.add(winner(2)));
  const auto contents = file.read();
  ASSERT_EQ(contents->best_known.size(), 1U);
  EXPECT_EQ(contents->left_out, 1U);
}

TEST_F(BestKnownInAFile, ThatIsNoRegularFileIsRefused) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(file.read().error().code, ErrorCode::file_error);
  EXPECT_EQ(file.add(winner(1)).error().code, ErrorCode::file_error);
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(file.read().error().code, ErrorCode::file_error); // readers do not wait for a writer
  EXPECT_EQ(file.add(winner(1)).error().subject, path.string());
}

TEST_F(BestKnownInAFile, OfADirectoryThatIsNotThereIsRefused) {
  const BestKnownFile nowhere(directory_ / "no" / "where", "requests");
  EXPECT_EQ(nowhere.add(winner(1)).error().code, ErrorCode::file_error);
}

TEST_F(BestKnownInAFile, BecomesShorterWhenItIsLong) {
  const std::string workload(2000, 'w');
  ASSERT_TRUE(BestKnownFile(path, "joules").add(winner(7)));
  for (std::uint64_t i = 0; i < 800; ++i)
    ASSERT_TRUE(file.add(winner(i % 2, workload)));
  EXPECT_LT(std::filesystem::file_size(path), 1'000'000U);
  EXPECT_EQ(file.read()->best_known.size(), 2U);
  EXPECT_EQ(BestKnownFile(path, "joules").read()->best_known.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
}

TEST_F(BestKnownInAFile, KeepsItsPlaceAndPermissionsWhenItBecomesShorter) {
  const auto target = directory_ / "target";
  std::ofstream(target).close();
  const auto permissions = std::filesystem::perms(0660);
  std::filesystem::permissions(target, permissions);
  std::filesystem::create_symlink(target, path);
  const std::string workload(5000, 'w');
  for (int i = 0; i < 250; ++i)
    ASSERT_TRUE(file.add(winner(1, workload)));
  EXPECT_LT(std::filesystem::file_size(target), 500'000U);
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  EXPECT_EQ(std::filesystem::status(target).permissions(), permissions);
}

TEST_F(BestKnownInAFile, IsNotWrittenToByAProgramWithoutStandardStreams) {
  const int other = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_TRUE(is_true_in_child([&] {
    close(STDOUT_FILENO);
    std::thread waits([&] { (void)file.add(winner(1)); }); // for the lock
    // Its first moment, in which the file has the lowest number, has passed.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const bool is_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    flock(other, LOCK_UN);
    waits.join();
    return is_closed;
  }));
  close(other);
  EXPECT_EQ(file.read()->best_known.size(), 1U);
}

TEST_F(BestKnownInAFile, DoesNotGrowWithTheWorkloadsThatThereHaveBeen) {
  const std::string workload(4000, 'w');
  for (std::uint64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(file.add(winner(i, workload + std::to_string(i))));
  EXPECT_LT(std::filesystem::file_size(path), 1'100'000U);
  EXPECT_EQ(file.read()->best_known.front().configuration, winner(999).configuration);
}

TEST_F(BestKnownInAFile, ThatAnotherProcessKeepsLockedIsNotWaitedForWithoutEnd) {
  const int other = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const auto failed = file.add(winner(1));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::file_error);
  EXPECT_EQ(failed.error().message, "is locked by another process");
  close(other);
  EXPECT_TRUE(file.add(winner(1)));
}

TEST_F(BestKnownInAFile, IsSharedByProcesses) {
  constexpr int processes = 4, best_known = 60;
  // The file will become shorter while it is written, with equal content.
  const std::string workload(5000, 'w');
  for (int i = 0; i < 190; ++i)
    ASSERT_TRUE(file.add(winner(1, workload)));
  for (int process = 0; process < processes; ++process)
    if (const pid_t child = fork(); child == 0) {
      for (int i = 0; i < best_known; ++i)
        if (!file.add(winner(static_cast<std::uint64_t>(i),
                             std::string(1000, static_cast<char>('a' + process)))))
          _exit(1);
      _exit(0);
    }
  for (int process = 0; process < processes; ++process) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  const auto contents = file.read();
  EXPECT_EQ(contents->best_known.size(), std::size_t{processes} * best_known + 1);
  EXPECT_LT(std::filesystem::file_size(path), 500'000U);
  EXPECT_EQ(contents->left_out, 0U);
}

} // namespace
} // namespace sartor
