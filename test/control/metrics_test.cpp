// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <sartor/c/sartor.h>

#include "program.h"

namespace {

/// Checks the syntax of OpenMetrics, as far as Sartor's metrics use it; returns the samples.
std::map<std::string, std::string> samples_of(const std::string &text) {
  static const std::regex about("# (TYPE|UNIT|HELP) (sartor_[a-z_]+) (.*)");
  static const std::regex sample(
      R"re((sartor_[a-z_]+)(\{[a-z_]+="(?:[^"\\]|\\.)*"(?:,[a-z_]+="(?:[^"\\]|\\.)*")*\})? (\S+))re");
  std::map<std::string, std::string> samples;
  std::set<std::string> families;
  std::string family;
  std::string type;
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) {
    std::smatch found;
    if (line == "# EOF")
      continue;
    if (std::regex_match(line, found, about)) {
      if (found[1] == "TYPE") {
        EXPECT_TRUE(families.insert(found[2]).second) << "twice: " << line;
        family = found[2];
        type = found[3];
      }
      EXPECT_EQ(found[2], family) << line;
      continue;
    }
    if (!std::regex_match(line, found, sample)) {
      ADD_FAILURE() << "not understood: " << line;
      continue;
    }
    EXPECT_EQ(found[1], family + (type == "counter" ? "_total" : type == "info" ? "_info" : ""));
    EXPECT_TRUE(samples.emplace(found[1].str() + found[2].str(), found[3]).second) << line;
  }
  EXPECT_EQ(last, "# EOF");
  return samples;
}

TEST_F(Controlled, MetricsAreThoseOfTheStatistics) {
  runtime_.specialize(factor(3));
  const auto samples = samples_of(sartor::metrics());
  const std::string id = runtime_status().at("id").dump();
  EXPECT_EQ(samples.at("sartor_compiles_total{runtime=\"" + id + "\"}"),
            std::to_string(runtime_.statistics().compiles));
  EXPECT_EQ(samples.at("sartor_handler_specialized{runtime=\"" + id + "\",handler=\"scale\"}"),
            "1");
  do_it({{"do", "off"}});
  const auto off = samples_of(sartor::metrics());
  EXPECT_EQ(off.at("sartor_handler_specialized{runtime=\"" + id + "\",handler=\"scale\"}"), "0");
  EXPECT_EQ(off.at("sartor_handler_off{runtime=\"" + id + "\",handler=\"scale\"}"), "1");
}

TEST_F(Controlled, TheSocketAndCGiveTheSameMetrics) {
  char *text = nullptr;
  ASSERT_EQ(sartor_metrics(&text), SARTOR_OK);
  const auto by_c = samples_of(text);
  sartor_free(text);
  const auto by_socket = samples_of(client_.ask({{"do", "metrics"}}).at("text").get<std::string>());
  EXPECT_EQ(by_c.size(), by_socket.size());
  EXPECT_NE(sartor_metrics(nullptr), SARTOR_OK);
}

TEST_F(Controlled, QuasiInvariantsOfOneNameAreOneMetric) {
  int one = 1;
  int two = 2;
  sartor::QuasiInvariant first("twins");
  first.add(&one, sizeof one);
  sartor::QuasiInvariant second("twins");
  second.add(&two, sizeof two);
  ASSERT_TRUE(first.wait_until_valid(std::chrono::minutes(1)));
  ASSERT_TRUE(second.wait_until_valid(std::chrono::minutes(1)));
  const auto samples = samples_of(sartor::metrics());
  EXPECT_EQ(samples.at(R"(sartor_quasi_invariant_valid{name="twins"})"), "1");
  EXPECT_GE(std::stoul(samples.at(R"(sartor_quasi_invariant_held_total{name="twins"})")), 2U);
}

TEST_F(Controlled, NamesAreEscaped) {
  int memory = 7;
  sartor::QuasiInvariant odd("a \"quoted\\\" name\nin two lines");
  odd.add(&memory, sizeof memory);
  const auto samples = samples_of(sartor::metrics());
  EXPECT_TRUE(samples.contains(
      R"(sartor_quasi_invariant_invalidated_total{name="a \"quoted\\\" name\nin two lines"})"));
}

TEST_F(Controlled, AFileHasTheMetrics) {
  const auto path = runtime_directory() / "metrics.prom";
  sartor::Options options = with_control();
  options.metrics_file = path;
  const sartor::Runtime writes(options);
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(path); }));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator(file), {}};
  EXPECT_FALSE(samples_of(text).empty());
}

TEST_F(Controlled, AFileThatIsNotRegularIsNotReplacedByMetrics) {
  const auto target = runtime_directory() / "target";
  const auto link = runtime_directory() / "link.prom";
  std::ofstream(target) << "unchanged";
  std::filesystem::create_symlink(target, link);
  sartor::Options options = with_control();
  options.metrics_file = link;
  options.event_log = runtime_directory() / "events";
  const sartor::Runtime writes(options);
  const auto content_of = [](const std::filesystem::path &path) {
    std::ifstream file(path);
    return std::string{std::istreambuf_iterator(file), {}};
  };
  EXPECT_TRUE(comes_true([&] {
    return content_of(options.event_log)
        .contains("metrics cannot be written: is not a regular file");
  }));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content_of(target), "unchanged");
}

TEST_F(Controlled, AnInvalidationIsObeyedAndCounted) {
  static int memory = 7;
  sartor::QuasiInvariant steady("steady");
  steady.add(&memory, sizeof memory);
  ASSERT_TRUE(steady.wait_until_valid(std::chrono::minutes(1)));
  const auto before = steady.figures().held;
  do_it({{"do", "invalidate"}, {"name", "steady"}});
  EXPECT_TRUE(comes_true([&] { return steady.figures().held > before; })); // valid again
}

} // namespace
