// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants are compared with the generic program in test runs before they are attached.
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include <bpf/bpf.h>
#include <unistd.h>

#include <sartor/bpf/bpf.h>
#include <sartor/bpf/object.h>
#include <sartor/metrics.hpp>

#include "kernel.h"
#include "paths.h"

SARTOR_BPF_OBJECT(incomparable)
SARTOR_BPF_OBJECT(maps)
SARTOR_BPF_OBJECT(points)

namespace sartor::test {

namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

class ComparedTest : public Kernel {
protected:
  void SetUp() override {
    Kernel::SetUp();
    for (const char *name : {"SARTOR_VERIFY", "SARTOR_STATE_DIR", "SARTOR_EVENT_LOG"})
      unsetenv(name); // other tests run without comparison
    std::string name = testing::TempDir() + "comparedXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override {
    for (const char *name : {"SARTOR_MUTANT", "SARTOR_VERIFY", "SARTOR_COMPILER_LIBRARY"})
      unsetenv(name);
    if (!directory_.empty())
      std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] BpfOptions options() const {
    BpfOptions made;
    made.event_log = directory_ / "log";
    made.state_directory = directory_ / "state";
    return made;
  }
  [[nodiscard]] std::string events() const {
    std::ifstream file(directory_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

private:
  std::filesystem::path directory_;
};

const BpfVariant &variant_of(const std::vector<BpfVariant> &all, const std::string &handler) {
  for (const BpfVariant &each : all)
    if (each.handler == handler)
      return each;
  ADD_FAILURE() << handler;
  return all.front();
}

/// The value of a sample; nothing if there is none. `labels` are those after the runtime's.
std::optional<int> sample(const std::string &metric, const std::string &labels) {
  std::istringstream lines(sartor::metrics());
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(metric + "_total{runtime=") && line.contains("," + labels + "} "))
      return std::stoi(line.substr(line.rfind(' ')));
  return std::nullopt;
}

} // namespace

TEST_F(ComparedTest, TheRightVariantIsComparedAndActive) {
  BpfRuntime runtime = BpfRuntime::open(points_object(), options());
  const auto all = runtime.specialize(
      Configuration().set("rounds", 3).set("scale", 500).set("length", 60).set("taken", 64));
  for (const char *handler : {"points", "at_tc", "at_socket"}) {
    EXPECT_GT(variant_of(all, handler).compared, 90U) << handler;
    EXPECT_EQ(variant_of(all, handler).not_compared, std::nullopt) << handler;
    EXPECT_NE(runtime.program(handler), runtime.generic_program(handler)) << handler;
  }
  EXPECT_THAT(events(), Not(HasSubstr("difference")));
}

TEST_F(ComparedTest, LiveMapsAreNotChanged) {
  BpfRuntime runtime = BpfRuntime::open(points_object(), options());
  runtime.update("counts", std::uint32_t{2}, std::uint64_t{77});
  EXPECT_GT(variant_of(runtime.specialize(Configuration().set("rounds", 8)), "points").compared,
            0U);
  for (std::uint32_t key = 0; key < 8; ++key)
    EXPECT_EQ(element(runtime.map("counts"), key), key == 2 ? 77U : 0U);
  std::array<std::uint64_t, 64> variables{};
  const std::uint32_t first = 0;
  ASSERT_EQ(bpf_map_lookup_elem(runtime.map(".bss"), &first, variables.data()), 0);
  EXPECT_THAT(variables, Each(0U)) << "the number of runs";
}

TEST_F(ComparedTest, FoldedMapsAreCompared) {
  BpfRuntime runtime = BpfRuntime::open(maps_object(), options());
  runtime.declare_invariant("list", BpfWriters::ours);
  const auto all = runtime.specialize(Configuration().set("even", true));
  EXPECT_GT(variant_of(all, "look").compared, 90U);
}

TEST_F(ComparedTest, PacketsOfTheProgramAreUsed) {
  BpfOptions given = options();
  given.verify.first_calls = 3;
  given.packets = {std::string(64, '\0'), std::string(100, '\1'), "too short"};
  BpfRuntime runtime = BpfRuntime::open(points_object(), given);
  EXPECT_EQ(variant_of(runtime.specialize(Configuration().set("rounds", 3)), "points").compared,
            5U);
}

TEST_F(ComparedTest, OffComparesNothing) {
  setenv("SARTOR_VERIFY", "off", 1);
  BpfRuntime runtime = BpfRuntime::open(points_object(), options());
  const auto all = runtime.specialize(Configuration().set("rounds", 3));
  EXPECT_EQ(variant_of(all, "points").compared, 0U);
  EXPECT_EQ(variant_of(all, "points").not_compared, BpfNotCompared::off);
}

TEST_F(ComparedTest, TheReasonIsReported) {
  BpfRuntime runtime = BpfRuntime::open(incomparable_object(), options());
  auto all =
      runtime.specialize(Configuration().set("samples", 1).set("mirrors", 1).set("admits", 6));
  EXPECT_EQ(variant_of(all, "samples").not_compared, BpfNotCompared::undetermined);
  EXPECT_EQ(variant_of(all, "mirrors").not_compared, BpfNotCompared::effects);
  EXPECT_EQ(variant_of(all, "admits").not_compared, BpfNotCompared::program_type);
  all = runtime.specialize(Configuration().set("samples", unguarded(1)));
  EXPECT_EQ(variant_of(all, "samples").not_compared, BpfNotCompared::unguarded);
}

TEST_F(ComparedTest, TheReasonIsAnEventIfComparisonWasAskedFor) {
  const auto specialize = [&](const char *verify) {
    setenv("SARTOR_VERIFY", verify, 1);
    BpfRuntime runtime = BpfRuntime::open(incomparable_object(), options());
    for (const int admits : {6, 7})
      runtime.specialize(Configuration().set("samples", 1).set("mirrors", 1).set("admits", admits));
  };
  specialize("on");
  EXPECT_THAT(events(), Not(HasSubstr("not_compared")));
  specialize("all");
  for (const auto &[handler, reason] : std::map<std::string, std::string>{
           {"samples", "undetermined"}, {"mirrors", "effects"}, {"admits", "program_type"}}) {
    std::string event = R"("event":"not_compared","handler":")";
    event.append(handler).append(R"(","reason":")").append(reason).append(R"(","message":)");
    const std::string all = events();
    EXPECT_THAT(all, HasSubstr(event));
    EXPECT_EQ(all.find(event), all.rfind(event)) << "once";
  }
}

TEST_F(ComparedTest, MetricsCountWhatWasCompared) {
  EXPECT_EQ(sample("sartor_bpf_compared_variants", R"(handler="points")"), std::nullopt);
  BpfRuntime runtime = BpfRuntime::open(points_object(), options());
  int packets = 0;
  for (const int rounds : {3, 8})
    packets += static_cast<int>(
        variant_of(runtime.specialize(Configuration().set("rounds", rounds)), "points").compared);
  const std::string handler = R"(handler="points")";
  EXPECT_EQ(sample("sartor_bpf_compared_variants", handler), 2);
  EXPECT_EQ(sample("sartor_bpf_compared_packets", handler), packets);
  EXPECT_EQ(sample("sartor_bpf_differences", handler), 0);

  BpfRuntime other = BpfRuntime::open(incomparable_object(), options());
  other.specialize(Configuration().set("mirrors", 1));
  EXPECT_EQ(sample("sartor_bpf_not_compared_variants", R"(handler="mirrors",reason="effects")"), 1);
  EXPECT_EQ(sample("sartor_bpf_compared_variants", R"(handler="mirrors")"), 0);
  EXPECT_EQ(sample("sartor_bpf_compared_variants", handler), 2);
}

TEST_F(ComparedTest, MetricsDoNotCountWhatIsNotToBeCompared) {
  setenv("SARTOR_VERIFY", "off", 1);
  BpfRuntime runtime = BpfRuntime::open(points_object(), options());
  runtime.specialize(Configuration().set("rounds", 3));
  EXPECT_EQ(sample("sartor_bpf_not_compared_variants", R"(handler="points",reason="off")"),
            std::nullopt);
}

TEST_F(ComparedTest, OptionsInC) {
  sartor_bpf_runtime *runtime = nullptr;
  const auto open = [&](const char *text) {
    return sartor_bpf_open(points_object().data(), points_object().size(), text, &runtime);
  };
  EXPECT_EQ(open(R"({"packets":["0"]})"), SARTOR_ERROR_BAD_JSON);
  EXPECT_EQ(open(R"({"verify":"sometimes"})"), SARTOR_ERROR_BAD_JSON);
  const std::string digits(128, '0');
  ASSERT_EQ(open((R"({"verify":"first=1","packets":[")" + digits + "\"]}").c_str()), SARTOR_OK);
  char *json = nullptr;
  ASSERT_EQ(sartor_bpf_specialize_with_report(runtime, R"({"rounds":3})", &json), SARTOR_OK);
  EXPECT_THAT(json, HasSubstr(R"("compared":2,"not_compared":null)"));
  sartor_free(json);
  sartor_bpf_close(runtime);
}

TEST_F(ComparedTest, TheWrongVariantIsNotActivated) {
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants().c_str(), 1);
  setenv("SARTOR_MUTANT", "constant_off:0", 1);
  BpfOptions given = options();
  for (std::size_t length = 14; length < 80; ++length)
    given.packets.emplace_back(length, '\0');
  BpfRuntime runtime = BpfRuntime::open(points_object(), given);
  const auto configuration = Configuration().set("length", 60);
  const Error error = error_of([&] { runtime.specialize(configuration); });
  EXPECT_EQ(error.code(), ErrorCode::quarantined);
  EXPECT_THAT(error.what(), HasSubstr("gave another result than the generic program"));
  EXPECT_EQ(runtime.program("at_tc"), runtime.generic_program("at_tc"));
  EXPECT_THAT(events(), HasSubstr(R"("event":"difference")"));
  EXPECT_THAT(events(), HasSubstr(R"("handler":"at_tc")"));
  EXPECT_EQ(sample("sartor_bpf_differences", R"(handler="at_tc")"), 1);

  unsetenv("SARTOR_MUTANT"); // the request stays quarantined, also for another runtime
  BpfRuntime other = BpfRuntime::open(points_object(), options());
  const Error again = error_of([&] { other.specialize(configuration); });
  EXPECT_EQ(again.code(), ErrorCode::quarantined);
  EXPECT_THAT(again.what(), HasSubstr("is quarantined (different"));
  other.specialize(Configuration().set("length", 61));
  EXPECT_NE(other.program("at_tc"), other.generic_program("at_tc"));
}

TEST_F(ComparedTest, MutantsAreFound) {
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants().c_str(), 1);
  unsigned found = 0;
  for (const char *kind : {"constant_off", "branch_inverted", "store_dropped", "mask_changed"})
    for (int place = 0; place < 3; ++place) {
      setenv("SARTOR_MUTANT", (std::string(kind) + ":" + std::to_string(place)).c_str(), 1);
      BpfOptions given = options();
      given.state_directory /= std::string(kind) + std::to_string(place);
      BpfRuntime runtime = BpfRuntime::open(points_object(), given);
      try {
        runtime.specialize(Configuration().set("rounds", 3).set("scale", 500));
      } catch (const Error &error) {
        found += error.code() == ErrorCode::quarantined ? 1 : 0;
        EXPECT_EQ(runtime.program("points"), runtime.generic_program("points"));
      }
    }
  EXPECT_GE(found, 4U);
}

} // namespace sartor::test
