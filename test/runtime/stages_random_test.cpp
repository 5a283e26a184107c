// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares generic code, code that is bound at once, and code that is bound in stages, for every
// way of compiling and with compilation switched off.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "handlers/staged.h"

namespace {

using Arguments = std::map<unsigned, sartor::BoundArgument>;

/// Random arguments of a handler with two objects, and their invariants.
class Scene {
public:
  explicit Scene(std::mt19937 &random) {
    for (unsigned i = 0; i < random() % 6; ++i)
      rules_.push_back({static_cast<std::uint32_t>(random() % 4), random() % 100});
    system = {rules_.data(), static_cast<std::uint32_t>(rules_.size()),
              static_cast<std::uint32_t>(random() % 5)};
    constexpr std::array<decltype(OpenFile::transform), 3> kTransforms{scramble, shift, nullptr};
    file = {kTransforms[random() % kTransforms.size()], random() % 1000,
            static_cast<std::uint32_t>(random() % 5), static_cast<std::uint32_t>(random() % 8 == 0),
            random() % 10};
    window = {random() % 10, random() % 100, 1 + random() % 9};
    mode = random() % 5;
    if (random() % 4 != 0) {
      invariant_.add(&system, sizeof system);
      if (!rules_.empty())
        invariant_.add(rules_.data(), rules_.size() * sizeof rules_[0]);
    }
    if (random() % 2 == 0)
      invariant_.add_fields(file, &OpenFile::transform, &OpenFile::key, &OpenFile::passes);
    else if (random() % 2 == 0)
      invariant_.add(&file, offsetof(OpenFile, reads));
  }
  Scene(const Scene &) = delete;
  Scene &operator=(const Scene &) = delete;

  [[nodiscard]] Arguments of_read_word() const {
    return {{0, reinterpret_cast<std::uintptr_t>(&system)},
            {1, reinterpret_cast<std::uintptr_t>(&file)},
            {2, sartor::BoundArgument::object(&window, sizeof window)},
            {3, mode}};
  }
  [[nodiscard]] Arguments of_read_deep() const {
    Arguments arguments = of_read_word();
    arguments.at(2) = mode;
    return arguments;
  }

  FileSystem system{};
  OpenFile file{};
  Window window{};
  unsigned mode = 0;

private:
  std::vector<FileSystem::Rule> rules_;
  sartor::Invariant invariant_;
};

sartor::detail::Share bind_in_stages(sartor::Runtime &runtime, const char *handler,
                                     const Arguments &arguments, std::mt19937 &random) {
  std::vector<unsigned> order{0, 1, 2, 3};
  std::ranges::shuffle(order, random);
  Arguments known;
  std::optional<sartor::detail::Share> bound;
  for (std::size_t i = 0; i < order.size();) {
    for (std::size_t more = random() % 3; more > 0 && i < order.size(); --more, ++i)
      known.emplace(order[i], arguments.at(order[i]));
    bound = bound ? bound->further(known) : runtime.bind(handler, known);
    if (random() % 2 == 0)
      bound->wait();
  }
  bound->wait();
  return *bound;
}

using Call = std::uint64_t (*)(std::uint64_t);

void compare(Scene &scene, const sartor::detail::Share &bound, const Arguments &arguments,
             bool is_deep, std::mt19937 &random) {
  const auto call = reinterpret_cast<Call>(bound.function(arguments));
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t at = random() % 200;
    const OpenFile before = scene.file;
    const std::uint64_t expected =
        is_deep ? read_deep(&scene.system, &scene.file, scene.mode, scene.mode, at)
                : read_word(&scene.system, &scene.file, scene.window, scene.mode, at);
    const std::uint64_t reads = scene.file.reads;
    scene.file.reads = before.reads;
    ASSERT_EQ(call(at), expected);
    ASSERT_EQ(scene.file.reads, reads);
  }
}

void check_at_random(const sartor::Options &options, int rounds) {
  sartor::Runtime runtime(options);
  sartor::Runtime at_once(options);
  std::mt19937 random(17);
  for (int round = 0; round < rounds; ++round) {
    Scene scene(random);
    const bool is_deep = random() % 3 == 0;
    const char *handler = is_deep ? "read_deep" : "read_word";
    const Arguments arguments = is_deep ? scene.of_read_deep() : scene.of_read_word();
    sartor::Configuration configuration;
    if (random() % 2 == 0)
      configuration = {{"mode", 1 + random() % 3}, {"late mode", sartor::any_of({1, 2})}};
    for (sartor::Runtime *each : {&runtime, &at_once})
      each->specialize(configuration);
    const auto staged = bind_in_stages(runtime, handler, arguments, random);
    const auto all = at_once.bind(handler, arguments);
    all.wait();
    for (const auto *bound : {&staged, &all})
      compare(scene, *bound, arguments, is_deep, random);
    if (testing::Test::HasFatalFailure())
      FAIL() << "round " << round;
  }
  EXPECT_EQ(runtime.statistics().staged > 0,
            options.compiler == sartor::CompilerLocation::in_process);
}

TEST(StagesAtRandom, GiveTheSame) { check_at_random({}, 120); }

TEST(StagesAtRandom, GiveTheSameWithAnOutOfProcessCompiler) {
  check_at_random({.compiler = sartor::CompilerLocation::out_of_process}, 40);
}

TEST(StagesAtRandom, AreGenericWithoutACompiler) {
  std::mt19937 random(3);
  const Scene scene(random);
  sartor::Runtime runtime({.compiler = sartor::CompilerLocation::none});
  const auto opened =
      runtime.bind<&read_word>(&scene.system, sartor::_, sartor::_, sartor::_, sartor::_)
          .bind(sartor::_, scene.window, 2U, sartor::_);
  opened.wait();
  OpenFile one = scene.file;
  OpenFile same = scene.file;
  EXPECT_EQ(opened(&one, 5U), read_word(&scene.system, &same, scene.window, 2, 5));
}

TEST(StagesAtRandom, AreGenericWhereSartorIsOff) {
  std::mt19937 random(4);
  const Scene scene(random);
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  const auto opened =
      runtime.bind<&read_word>(&scene.system, sartor::_, sartor::_, sartor::_, sartor::_)
          .bind(sartor::_, scene.window, 2U, sartor::_);
  opened.wait();
  OpenFile one = scene.file;
  OpenFile same = scene.file;
  EXPECT_EQ(opened(&one, 5U), read_word(&scene.system, &same, scene.window, 2, 5));
}

} // namespace
