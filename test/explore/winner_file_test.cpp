// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/keep/winner_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor {
namespace {

class WinnersInAFile : public testing::Test {
protected:
  WinnersInAFile() { std::filesystem::create_directories(directory_); }
  ~WinnersInAFile() override { std::filesystem::remove_all(directory_); }
  WinnersInAFile(const WinnersInAFile &) = delete;
  WinnersInAFile &operator=(const WinnersInAFile &) = delete;

  static Winner winner(std::uint64_t value, std::string workload = "") {
    return {{std::move(workload), {}}, Configuration{{"B", value}}};
  }
  void write(const std::string &text) const { std::ofstream(path, std::ios::app) << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("sartor-winners-" + std::to_string(getpid()));
  const std::filesystem::path path = directory_ / "winners";
  const WinnerFile file{path, "requests"};
};

TEST_F(WinnersInAFile, ThatIsNotThereAreNone) {
  const auto contents = file.read();
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->winners.empty());
  EXPECT_EQ(contents->left_out, 0U);
}

TEST_F(WinnersInAFile, ComeBackTheLatestFirst) {
  ASSERT_TRUE(file.add(winner(1, "day")));
  ASSERT_TRUE(file.add(winner(2, "night")));
  ASSERT_TRUE(file.add(winner(1, "day")));
  const auto contents = file.read();
  ASSERT_EQ(contents->winners.size(), 2U);
  EXPECT_EQ(contents->winners[0].configuration, winner(1).configuration);
  EXPECT_EQ(contents->winners[0].signature.name, "day");
  EXPECT_EQ(contents->winners[1].signature.name, "night");
}

TEST_F(WinnersInAFile, KeepWhatPointsSaw) {
  Winner seen = winner(1);
  Shape::Point &point = seen.signature.shape.points()["N"];
  point.count = 1000;
  point.shares[{Value(64)}] = 0.75;
  point.shares[{Value("caf\xc3\xa9")}] = 0.25;
  ASSERT_TRUE(file.add(seen));
  const auto contents = file.read();
  ASSERT_EQ(contents->winners.size(), 1U);
  const auto &points = contents->winners.front().signature.shape.points();
  ASSERT_TRUE(points.contains("N"));
  EXPECT_EQ(points.at("N").count, 1000);
  EXPECT_EQ(points.at("N").shares, point.shares);
  EXPECT_EQ(distance(seen.signature, contents->winners.front().signature), 0);
}

TEST_F(WinnersInAFile, OfAnotherObjectiveAreLeftOut) {
  ASSERT_TRUE(WinnerFile(path, "joules").add(winner(3)));
  ASSERT_TRUE(file.add(winner(4)));
  const auto contents = file.read();
  ASSERT_EQ(contents->winners.size(), 1U);
  EXPECT_EQ(contents->winners.front().configuration, winner(4).configuration);
  EXPECT_EQ(contents->left_out, 1U);
}

TEST_F(WinnersInAFile, ThatIsDamagedAreReadAsFarAsTheyCanBe) {
  ASSERT_TRUE(file.add(winner(1)));
  write("\xff\xfe no JSON\n[]\n{\"winner\":{\"B\":[[]]},\"objective\":\"requests\"}\n{}\n"
        "{\"winner\":{\"B\":1},\"objective\":\"requests\",\"workload\":3,\"points\":{}}\n"
        "{\"winner\":{\"B\":1},\"objective\":\"requests\",\"workload\":\"\",\"points\":[1]}\n");
  ASSERT_TRUE(file.add(winner(2)));
  const auto contents = file.read();
  ASSERT_EQ(contents->winners.size(), 2U);
  EXPECT_EQ(contents->left_out, 6U);
}

TEST_F(WinnersInAFile, AreNotLostBehindATornLine) {
  write("{\"winner\":{\"B\"");
  ASSERT_TRUE(file.add(winner(2)));
  const auto contents = file.read();
  ASSERT_EQ(contents->winners.size(), 1U);
  EXPECT_EQ(contents->left_out, 1U);
}

TEST_F(WinnersInAFile, ThatIsNoRegularFileIsRefused) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(file.read().error().code, ErrorCode::file_error);
  EXPECT_EQ(file.add(winner(1)).error().code, ErrorCode::file_error);
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(file.read().error().code, ErrorCode::file_error); // and nobody waits for a writer
  EXPECT_EQ(file.add(winner(1)).error().subject, path.string());
}

TEST_F(WinnersInAFile, OfADirectoryThatIsNotThereIsRefused) {
  const WinnerFile nowhere(directory_ / "no" / "where", "requests");
  EXPECT_EQ(nowhere.add(winner(1)).error().code, ErrorCode::file_error);
}

TEST_F(WinnersInAFile, BecomesShorterWhenItIsLong) {
  const std::string workload(2000, 'w');
  ASSERT_TRUE(WinnerFile(path, "joules").add(winner(7)));
  for (std::uint64_t i = 0; i < 800; ++i)
    ASSERT_TRUE(file.add(winner(i % 2, workload)));
  EXPECT_LT(std::filesystem::file_size(path), 1'000'000U);
  EXPECT_EQ(file.read()->winners.size(), 2U);
  EXPECT_EQ(WinnerFile(path, "joules").read()->winners.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
}

TEST_F(WinnersInAFile, DoesNotGrowWithTheWorkloadsThatThereHaveBeen) {
  const std::string workload(4000, 'w');
  for (std::uint64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(file.add(winner(i, workload + std::to_string(i))));
  EXPECT_LT(std::filesystem::file_size(path), 1'100'000U);
  EXPECT_EQ(file.read()->winners.front().configuration, winner(999).configuration);
}

TEST_F(WinnersInAFile, IsSharedByProcesses) {
  constexpr int processes = 4, winners = 60;
  // It will be made shorter while they write, by what is the same.
  const std::string workload(5000, 'w');
  for (int i = 0; i < 190; ++i)
    ASSERT_TRUE(file.add(winner(1, workload)));
  for (int process = 0; process < processes; ++process)
    if (const pid_t child = fork(); child == 0) {
      for (int i = 0; i < winners; ++i)
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
  EXPECT_EQ(contents->winners.size(), std::size_t{processes} * winners + 1);
  EXPECT_LT(std::filesystem::file_size(path), 500'000U);
  EXPECT_EQ(contents->left_out, 0U);
}

} // namespace
} // namespace sartor
