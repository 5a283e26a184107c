// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "paths.h"

namespace {

using sartor::test::Ran;
using sartor::test::sartor;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Guards, ListsWatchedFieldsWithCounts) {
  const Ran ran = sartor("guards " + paths::watched_program());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("FIELD                 OFFSET  SIZE  GUARDED  NOT PROVEN\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\nshop::Order::price +4       4     2 "));
  EXPECT_THAT(ran.out, ContainsRegex("\nshop::Order::name +8       16    1 "));
  EXPECT_THAT(ran.out, ContainsRegex("\nshop::Order::never +24      4     1 "));
}

TEST(Guards, ListsPlacesWithTheKindOfStore) {
  const Ran ran = sartor("guards " + paths::watched_program());
  EXPECT_THAT(ran.out, ContainsRegex("watched.cpp:22 +shop::Order::price +store\n"));
  EXPECT_THAT(ran.out, ContainsRegex("watched.cpp:23 +shop::Order::price +memcpy\n"));
}

TEST(Guards, SaysWhatIsNotProvenAndWhatToDo) {
  const Ran ran = sartor("guards " + paths::watched_program());
  const auto expect = [&](int line, const std::string &field, const std::string &why) {
    EXPECT_THAT(ran.out, ContainsRegex("watched.cpp:" + std::to_string(line) +
                                       " +shop::Order::" + field + " +" + why + "  +[a-z]"));
  };
  expect(26, "price", "stored");
  expect(27, "price", "returned");
  expect(28, "name", "passed to strcpy\\(\\)");
  expect(30, "price", "passed to read\\(\\)");
  expect(30, "name", "passed to read\\(\\)");
  expect(32, "price", "inline assembly");
  expect(33, "price", "made an integer");
  expect(34, "price", "offsetof");
  expect(35, "price", "pointer to member");
  expect(36, "price", "constructed in place");
  expect(37, "price", "passed to a function that is called by its address");
  expect(40, "price", "address in static data");
}

TEST(Guards, DoNotListLocalVariablesThatAreGivenToBeFilled) {
  const Ran ran = sartor("guards " + paths::watched_program());
  EXPECT_THAT(ran.out, ContainsRegex("\nshop::Parcel::weight +0 +4 +1 +0\n"));
}

TEST(Guards, WritesJson) {
  const Ran ran = sartor("guards --json " + paths::watched_program());
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["watched"][0]["field"], "shop::Order::price");
  EXPECT_EQ(json["watched"][0]["record_size"], 28);
  EXPECT_EQ(json["guarded"][0]["line"], 22);
  EXPECT_EQ(json["guarded"][0]["kind"], "store");
  EXPECT_EQ(json["unproven"][0]["reason"], "stored");
  EXPECT_NE(json["unproven"][0]["remedy"], "");
}

TEST(Guards, OfAProgramWithoutWatchedFieldsAreNone) {
  const Ran ran = sartor("guards " + paths::no_handlers());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "no watched fields\n");
}

TEST(Guards, OfWhatIsNoProgramAreAnError) {
  Ran ran = sartor("guards /nonexistent/program");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("file_error: \"/nonexistent/program\""));
  ran = sartor("guards " + paths::watched_source());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, StartsWith("sartor: bad_elf: "));
}

/// The watched program with some of its bytes changed.
class Damaged : public testing::Test {
protected:
  Damaged() {
    std::ifstream file(paths::watched_program(), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~Damaged() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::size_t list() const { return bytes_.find("SARTORGW"); }
  Ran guards() {
    std::ofstream(path_, std::ios::binary) << bytes_;
    return sartor("guards " + path_);
  }

  std::string bytes_;
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("sartor-guards-test-" + std::to_string(getpid())))
          .string();
};

TEST_F(Damaged, ListsAreAnError) {
  const std::string whole = bytes_;
  for (const auto &[place, text] : {std::pair<std::size_t, std::string>{0, "X"},
                                    {8, "\xff\xff\xff\xff\xff\xff\xff\xff"},
                                    {16, "["},
                                    {18, "x"}}) {
    bytes_ = whole;
    bytes_.replace(list() + place, text.size(), text);
    const Ran ran = guards();
    EXPECT_EQ(ran.status, 1) << place;
    EXPECT_THAT(ran.err, HasSubstr("its list of guards is damaged")) << place;
  }
}

TEST_F(Damaged, FilesThatEndTooSoonAreAnError) {
  bytes_.resize(list() + 4);
  const Ran ran = guards();
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("bad_elf"));
}

} // namespace
