// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/guest_programs.h"
#include "handlers/routes.h"

namespace {

using sartor::_;
using sartor::ErrorCode;

using Operations = std::array<Operation, 6>;

/// Random operations; they depend on the seed.
Operations some_operations(std::uint32_t seed) {
  std::mt19937 random(seed);
  Operations operations;
  for (Operation &operation : operations)
    operation = {static_cast<Operation::Kind>(1 + random() % 3),
                 static_cast<std::uint32_t>(random())};
  return operations;
}

sartor::Invariant invariant_of(const Program &program) {
  sartor::Invariant invariant;
  invariant.add_fields(program, &Program::operations, &Program::size);
  invariant.add(program.operations, program.size * sizeof(Operation));
  return invariant;
}

/// The result that the interpreter should return.
std::uint64_t interpreted(const Program &program, std::uint64_t input) {
  Program copy = program;
  return interpret(&copy, input);
}

TEST(Invariant, FoldsAndStaysRight) {
  sartor::Runtime runtime;
  Routes routes = some_routes(40);
  sartor::Invariant invariant(&routes, sizeof routes);
  const auto bound = runtime.bind<&forward>(&routes, _, 7);
  bound.wait();
  for (std::uint32_t destination = 0; destination < 500; ++destination)
    ASSERT_EQ(bound(destination), forward(&routes, destination, 7));
}

TEST(Invariant, InvalidationDeactivatesCode) {
  sartor::Runtime runtime;
  Routes routes = some_routes(10);
  sartor::Invariant invariant(&routes, sizeof routes);
  const auto bound = runtime.bind<&forward>(&routes, _, 0);
  bound.wait();
  EXPECT_EQ(bound(50U), 6000U);
  invariant.invalidate();
  EXPECT_FALSE(invariant.valid());
  EXPECT_EQ(runtime.statistics().replugs, 1U);
  routes.list[5].port = 77;
  EXPECT_EQ(bound(50U), 77'000U);
}

// Both programs consist of the same operations.
TEST(Invariant, OfOneProgramLeavesCodeOfAnother) {
  sartor::Runtime runtime;
  const Operations operations = some_operations(1);
  Program older{0, operations.data(), 6};
  Program program{0, operations.data(), 6};
  sartor::Invariant first = invariant_of(older);
  sartor::Invariant second = invariant_of(program);
  const auto bound = runtime.bind<&interpret>(&program, _);
  bound.wait();
  first.invalidate();
  EXPECT_EQ(runtime.statistics().replugs, 0U);
  EXPECT_EQ(bound(5), interpreted(program, 5));
  second.invalidate();
  EXPECT_EQ(runtime.statistics().replugs, 1U);
}

TEST(Invariant, IsMadeAnewAfterAChange) {
  sartor::Runtime runtime;
  Routes routes = some_routes(10);
  for (std::uint16_t port = 100; port < 110; ++port) {
    routes.list[5].port = port;
    const sartor::Invariant invariant(&routes, sizeof routes);
    const auto bound = runtime.bind<&forward>(&routes, _, 0);
    bound.wait();
    ASSERT_EQ(bound(50U), port * 1000U);
  }
}

TEST(Invariant, OfAGlobalFoldsInHandlersToo) {
  sartor::Runtime runtime;
  sartor::Invariant invariant(&global_routes, sizeof global_routes);
  const auto handler = runtime.handler<&forward_global>();
  runtime.specialize({});
  EXPECT_EQ(handler(20), 502U);
  invariant.invalidate();
  EXPECT_GE(runtime.statistics().replugs, 1U);
  global_routes.list[1].port = 9;
  EXPECT_EQ(handler(20), 509U);
  global_routes.list[1].port = 2;
}

TEST(Invariant, FieldsAreFollowedThroughPointers) {
  struct Connection {
    const Routes *routes;
    int extra;
  };
  sartor::Runtime runtime;
  Routes routes = some_routes(4);
  const Connection connection{&routes, 3};
  const auto invariant = runtime.invariant(connection, &Connection::extra,
                                           sartor::through(&Connection::routes, &Routes::count));
  EXPECT_TRUE(invariant.valid());
}

TEST(Invariant, OfAPartOutsideOfItsObjectIsRefused) {
  const Program program{};
  sartor::Invariant invariant;
  EXPECT_EQ(failing([&] { invariant.add_part(&program.size, 4, &program.runs, 8); }),
            ErrorCode::bad_invariant);
  EXPECT_FALSE(invariant.valid());
}

TEST(Invariant, OfNothingIsRefused) {
  int number = 0;
  EXPECT_EQ(failing([&] { sartor::Invariant invariant(&number, 0); }), ErrorCode::bad_invariant);
  EXPECT_EQ(failing([&] { sartor::Invariant invariant(nullptr, 8); }), ErrorCode::bad_invariant);
}

TEST(Invariant, OfMemoryThatIsGoneIsAnError) {
  sartor::Runtime runtime;
  const auto *gone = reinterpret_cast<const Routes *>(std::uintptr_t{4096});
  const sartor::Invariant invariant(gone, sizeof(Routes));
  const auto bound = runtime.bind<&forward>(gone, _, 1);
  EXPECT_EQ(failing([&] { bound.wait(); }), ErrorCode::unreadable_memory);
}

// Programs at few addresses, which are freed and replaced.

/// Programs at few addresses, which are freed and replaced.
struct Heap {
  explicit Heap(sartor::Runtime &made) : runtime(made) {}

  sartor::Runtime &runtime;
  std::array<Operations, 3> operations = {};
  std::array<Program, 3> programs = {};
  std::array<sartor::Invariant, 3> invariants;
  std::uint32_t seed = 0;

  /// Frees a program and puts another one in its place.
  void reuse(std::size_t place) {
    invariants[place].invalidate_later();
    EXPECT_FALSE(invariants[place].valid());
    operations[place] = some_operations(++seed);
    programs[place] = {0, operations[place].data(), 6};
    invariants[place] = invariant_of(programs[place]);
  }

  void expect_right(std::size_t place, bool wait) {
    const auto bound = runtime.bind<&interpret>(&programs[place], _);
    if (wait)
      bound.wait();
    for (std::uint64_t input = 0; input < 20; ++input)
      EXPECT_EQ(bound(input), interpreted(programs[place], input));
  }
};

TEST(Invariant, MayBeRevokedLaterWithinAHandlerWhichUsesTheMemoryAgain) {
  sartor::Runtime runtime;
  Heap heap(runtime);
  const auto collect = [](void *memory) {
    auto &heap = *static_cast<Heap *>(memory);
    for (std::size_t place = 0; place < heap.programs.size(); ++place)
      heap.reuse(place);
    for (int round = 0; round < 12; ++round) {
      const auto place = static_cast<std::size_t>(round) % heap.programs.size();
      // An earlier binding continues with the program that is now at the address.
      const auto kept = heap.runtime.bind<&interpret>(&heap.programs[place], _);
      heap.expect_right(place, /*wait=*/round % 4 != 0);
      heap.reuse(place);
      for (std::uint64_t input = 0; input < 20; ++input)
        EXPECT_EQ(kept(input), interpreted(heap.programs[place], input));
      heap.expect_right(place, /*wait=*/round % 4 == 1);
    }
  };
  const auto handler = runtime.handler<&run_collector>();
  handler(collect, &heap);
  EXPECT_GT(runtime.statistics().replugs, 0U);
  for (std::size_t place = 0; place < heap.programs.size(); ++place)
    heap.expect_right(place, /*wait=*/true);
}

TEST(Invariant, SaysWhenItsMemoryMayBeUsedAgain) {
  sartor::Runtime runtime;
  struct Within {
    sartor::Invariant invariant;
    bool reusable = true;
  } within;
  const int memory = 5;
  within.invariant.add(&memory, sizeof memory);
  EXPECT_FALSE(within.invariant.reusable());
  const auto handler = runtime.handler<&run_collector>();
  handler(
      [](void *heap) {
        auto &mine = *static_cast<Within *>(heap);
        mine.invariant.invalidate_later();
        mine.invariant.invalidate_later();
        mine.reusable = mine.invariant.reusable(); // this call may run code that depends on it
        EXPECT_EQ(failing([&] { mine.invariant.invalidate(); }), ErrorCode::called_from_handler);
      },
      &within);
  EXPECT_FALSE(within.reusable);
  within.invariant.invalidate(); // waits for the other calls
  EXPECT_TRUE(within.invariant.reusable());
}

TEST(Invariant, CannotBeWaitedForWithinAHandlerWhichIsReported) {
  const std::filesystem::path path =
      testing::TempDir() + "/invariant_test_" + std::to_string(getpid()) + ".jsonl";
  std::filesystem::remove(path);
  {
    sartor::Options options;
    options.event_log = path;
    sartor::Runtime runtime(options);
    static int memory = 5;
    const auto handler = runtime.handler<&run_collector>();
    handler([](void *) { const sartor::Invariant invariant(&memory, sizeof memory); }, nullptr);
    handler(
        [](void *) {
          sartor::Invariant invariant(&memory, sizeof memory);
          invariant.invalidate_later();
        },
        nullptr);
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string log = text.str();
  const auto at = log.find("invariant_not_waited_for");
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(log.find("invariant_not_waited_for", at + 1), std::string::npos);
  std::filesystem::remove(path);
}

TEST(Invariant, IsRevokedWhenAnotherIsAssigned) {
  const int first = 1;
  const int second = 2;
  sartor::Invariant one(&first, sizeof first);
  sartor::Invariant other(&second, sizeof second);
  const std::uint64_t number = other.number();
  one = std::move(other);
  EXPECT_EQ(one.number(), number);
  EXPECT_TRUE(one.valid());
  EXPECT_FALSE(other.valid()); // NOLINT(bugprone-use-after-move): the old promise is not kept here
}

TEST(Invariant, WaitsForAMarkedFunctionThatReadsTheMemory) {
  sartor::Runtime runtime;
  auto digested = std::make_unique<Digested>(Digested{14});
  sartor::Invariant invariant(digested.get(), sizeof(Digested));
  const auto bound = runtime.bind<&digest_and_add>(digested.get(), _);
  while (!digest_begun)
    std::this_thread::yield();
  std::atomic<bool> revoked = false;
  std::jthread taker([&] {
    invariant.invalidate();
    revoked = true;
    digested.reset();
  });
  while (invariant.valid())
    std::this_thread::yield();
  for (int i = 0; i < 20 && !revoked; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(revoked);
  digest_may_end = true;
  EXPECT_EQ(failing([&] { bound.wait(); }), ErrorCode::bad_invariant);
}

TEST(Invariant, WaitsForNoMarkedFunctionThatHasFaultedInsideAHandler) {
  sartor::Runtime runtime;
  static const sartor::Handler<std::uint64_t(std::uint64_t, std::uint64_t)> *inner = nullptr;
  const auto handler = runtime.handler<&loaded>();
  inner = &handler;
  digest_within = [](std::uint64_t address) { return (*inner)(address, 1); };
  Digested digested{8};
  sartor::Invariant invariant(&digested, sizeof digested);
  const auto bound = runtime.bind<&digest_within_and_add>(&digested, _);
  bound.wait();
  invariant.invalidate(); // the calling thread is inside no handler
  std::uint64_t seven = 7;
  digested.value = reinterpret_cast<std::uintptr_t>(&seven);
  EXPECT_EQ(bound(2), 10U);
}

TEST(Invariant, IsFoundByPointersToItsObject) {
  sartor::Runtime runtime;
  const Operations operations = some_operations(7);
  Program program{0, operations.data(), 6};
  sartor::Invariant invariant = invariant_of(program);
  const auto bound = runtime.bind<&interpret>(&program, _);
  bound.wait();
  for (std::uint64_t input = 0; input < 100; ++input)
    ASSERT_EQ(bound(input), interpreted(program, input));
  EXPECT_EQ(program.runs, 100U);
  invariant.invalidate();
  EXPECT_EQ(runtime.statistics().replugs, 1U); // it depended on the invariant
}

TEST(Invariant, ThatAHandlerWritesToIsRefused) {
  sartor::Runtime runtime;
  Program program{0, nullptr, 6};
  const sartor::Invariant invariant(&program, sizeof program);
  const auto bound = runtime.bind<&interpret_and_change>(&program, _);
  EXPECT_EQ(failing([&] { bound.wait(); }), ErrorCode::bad_invariant);
  EXPECT_EQ(bound(6), 42U);
}

TEST(Invariant, EndsOfArraysAreNotTheBeginningsOfOthers) {
  sartor::Runtime runtime;
  const std::array arrays = {&first_numbers[0], &second_numbers[0]};
  ASSERT_TRUE(arrays[0] + 4 == arrays[1] || arrays[1] + 4 == arrays[0]);
  for (const std::uint32_t *array : arrays) {
    const Span span{array, array + 4};
    const sartor::Invariant invariant(&span, sizeof span);
    const auto bound = runtime.bind<&sum_span>(&span, _);
    bound.wait();
    for (std::uint64_t more = 0; more < 80; ++more)
      EXPECT_EQ(bound(more), sum_span(&span, more));
  }
}

TEST(Invariant, MadeAndRevokedByManyThreadsLeavesCodeRight) {
  sartor::Runtime runtime;
  Heap heap(runtime);
  for (std::size_t place = 0; place < heap.programs.size(); ++place)
    heap.reuse(place);
  std::shared_mutex changing;
  std::atomic<bool> done = false;
  const auto use = [&](std::uint32_t seed) {
    std::mt19937 random(seed);
    while (!done) {
      const std::size_t place = random() % heap.programs.size();
      // Uses a handler without a run counter, because only one thread at a time may write the
      // shared one.
      const auto bound = runtime.bind<&sum_invariant>(&heap.programs[place], _);
      if (random() % 2)
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 10));
      for (std::uint64_t input = 0; input < 50; ++input) {
        const std::shared_lock lock(changing);
        ASSERT_EQ(bound(input), sum_invariant(&heap.programs[place], input));
      }
    }
  };
  {
    const std::jthread first(use, 1);
    const std::jthread second(use, 2);
    for (int round = 0; round < 40; ++round) {
      const auto place = static_cast<std::size_t>(round) % heap.programs.size();
      heap.invariants[place].invalidate();
      std::unique_lock lock(changing);
      heap.reuse(place);
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    done = true;
  }
}

} // namespace
