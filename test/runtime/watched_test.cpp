// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quasi-invariants whose writers the compiler has found.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <sys/time.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/watched.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::QuasiInvariant;

std::uint64_t expected(Socket socket, std::uint64_t bytes) { return send(&socket, bytes); }

class Watched : public testing::Test {
protected:
  QuasiInvariant options_of(Socket &socket, sartor::QuasiInvariantOptions how = {}) {
    QuasiInvariant quasi_invariant("options", std::move(how));
    quasi_invariant.add_fields(socket, &Socket::cork, &Socket::mss);
    return quasi_invariant;
  }
  template <class Send> static bool all_is_folded(const Send &bound) {
    return comes_true([&] { return bound(kWhatIsFolded) == 3; });
  }

  sartor::Runtime runtime_;
  Socket socket_ = {0, 0, 1460};
};

TEST_F(Watched, EachWriterUnplugsWhatItWouldMakeWrong) {
  const auto quasi_invariant = options_of(socket_);
  EXPECT_TRUE(quasi_invariant.figures().watched);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  const Socket other = {0, 7, 536};
  const std::vector<std::function<void()>> writers = {
      [&] { set_cork(socket_, 3); },
      [&] { add_to_mss(socket_, 40); },
      [&] { copy_options(socket_, other); },
  };
  for (const auto &write : writers) {
    ASSERT_TRUE(all_is_folded(bound));
    const auto broken = quasi_invariant.figures().invalidated;
    write();
    EXPECT_EQ(quasi_invariant.figures().invalidated, broken + 1);
    EXPECT_EQ(bound(5'000), expected(socket_, 5'000));
  }
  ASSERT_TRUE(all_is_folded(bound));
  EXPECT_EQ(bound(5'000), expected(socket_, 5'000));
}

TEST_F(Watched, ObjectsWithoutQuasiInvariantsConcernNobody) {
  Socket other = {0, 0, 1460};
  const auto quasi_invariant = options_of(socket_);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  ASSERT_TRUE(all_is_folded(bound));
  set_cork(other, 1);
  clear(other);
  EXPECT_EQ(other.mss, 0U);
  EXPECT_TRUE(quasi_invariant.valid());
  EXPECT_EQ(quasi_invariant.figures().invalidated, 0U);
}

TEST_F(Watched, FieldsThatNobodyWatchesAreReported) {
  QuasiInvariant quasi_invariant("sent");
  EXPECT_FALSE(quasi_invariant.figures().watched);
  quasi_invariant.add_fields(socket_, &Socket::cork);
  EXPECT_TRUE(quasi_invariant.figures().watched);
  quasi_invariant.add_fields(socket_, &Socket::sent);
  EXPECT_FALSE(quasi_invariant.figures().watched);
}

TEST_F(Watched, WritesThatAreRefusedAreLeftOut) {
  void *asked_for = nullptr;
  sartor::QuasiInvariantOptions how;
  how.refuse = [&](void *address, std::size_t size) {
    asked_for = address;
    return size == sizeof socket_.cork;
  };
  const auto quasi_invariant = options_of(socket_, how);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  set_cork(socket_, 9);
  EXPECT_EQ(asked_for, &socket_.cork);
  EXPECT_EQ(socket_.cork, 0U);
  EXPECT_EQ(quasi_invariant.figures().refused, 1U);
  clear(socket_); // the size is different
  EXPECT_EQ(socket_.mss, 0U);
  EXPECT_EQ(quasi_invariant.figures().invalidated, 1U);
}

TEST_F(Watched, VariantsWriteThroughGuardsToo) {
  const auto quasi_invariant = options_of(socket_);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  const auto uncorking = runtime_.bind<&send_and_uncork>(&socket_, _);
  set_cork(socket_, 2);
  ASSERT_TRUE(all_is_folded(bound));
  uncorking.wait();
  const auto broken = quasi_invariant.figures().invalidated;
  EXPECT_EQ(uncorking(1'460), 20'001U);
  EXPECT_EQ(quasi_invariant.figures().invalidated, broken + 1);
  EXPECT_EQ(bound(1'460), 1U);
  ASSERT_TRUE(all_is_folded(bound));
  EXPECT_EQ(bound(1'460), 1U);
}

Socket *signalled = nullptr;

TEST_F(Watched, SignalHandlersAndLaterThreadsPassGuards) {
  const auto quasi_invariant = options_of(socket_);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  ASSERT_TRUE(all_is_folded(bound));
  signalled = &socket_;
  std::signal(SIGUSR1, [](int) { set_cork(*signalled, 4); });
  raise(SIGUSR1);
  EXPECT_EQ(bound(1'460), 40'001U);
  ASSERT_TRUE(all_is_folded(bound));
  std::thread([&] { set_cork(socket_, 5); }).join();
  EXPECT_EQ(bound(1'460), 50'001U);
  EXPECT_EQ(quasi_invariant.figures().invalidated, 2U);
}

// The signal may have interrupted the allocator, or code that invalidates a quasi-invariant.
TEST_F(Watched, SignalHandlersMayInterruptWhateverThereIs) {
  sartor::QuasiInvariantOptions how;
  how.back_off = how.longest_back_off = 100us;
  const auto quasi_invariant = options_of(socket_, how);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  ASSERT_TRUE(all_is_folded(bound));
  signalled = &socket_;
  std::signal(SIGALRM, [](int) { set_cork(*signalled, signalled->cork ^ 1); });
  const itimerval often{{0, 1000}, {0, 1000}};
  const itimerval never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const auto end = std::chrono::steady_clock::now() + 1s;
  for (unsigned round = 0; std::chrono::steady_clock::now() < end; ++round) {
    std::vector<std::string> some;
    for (unsigned i = 0; i < 200; ++i)
      some.emplace_back(30 + (round * 7 + i * 13) % 3000, 'x');
    if (round % 16 == 0)
      set_cork(socket_, 1);
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  EXPECT_TRUE(comes_true([&] { return quasi_invariant.valid(); }));
  EXPECT_GT(quasi_invariant.figures().invalidated, 0U);
  EXPECT_EQ(bound(1'460), expected(socket_, 1'460));
}

// By then, the memory belongs to the allocator.
Socket *written_last = nullptr;
std::atomic<bool> is_intact = false;

struct Last {
  bool on = false;
  ~Last() {
    if (!on)
      return;
    std::vector<std::vector<char>> blocks;
    for (std::size_t size = 16; size <= 512; size += 8)
      blocks.emplace_back(size, 'A');
    set_cork(*written_last, 7);
    is_intact = std::ranges::all_of(blocks, [](const std::vector<char> &block) {
      return std::ranges::all_of(block, [](char byte) { return byte == 'A'; });
    });
  }
};
thread_local Last last;

TEST_F(Watched, DestructorsOfAThreadPassGuards) {
  const auto quasi_invariant = options_of(socket_);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  ASSERT_TRUE(all_is_folded(bound));
  written_last = &socket_;
  std::thread([&] {
    last.on = true;
    set_cork(socket_, 6);
  }).join();
  EXPECT_TRUE(is_intact);
  EXPECT_EQ(bound(1'460), 70'001U);
  EXPECT_EQ(quasi_invariant.figures().invalidated, 1U);
}

struct Listening : Socket {
  std::uint64_t backlog;
};
struct Server {
  std::uint64_t name;
  Socket control;
  std::array<Socket, 3> clients;
  Listening listening;
};

// A record describes a member, an element or a base of the object of the quasi-invariant, or only
// the address of its bytes.
TEST_F(Watched, ObjectsMayBeKnownByWhatTheyAreIn) {
  Server server = {.name = 1,
                   .control = {0, 0, 1460},
                   .clients = {Socket{0, 0, 1460}, {0, 0, 1460}, {0, 0, 1460}},
                   .listening = {}};
  server.listening.mss = 1460;
  struct Way {
    const char *name;
    const void *object;
    std::size_t size;
    Socket *socket;
  };
  for (const Way &way :
       {Way{"a member", &server, sizeof server, &server.control},
        {"an element of a member", &server, sizeof server, &server.clients[1]},
        {"an element", server.clients.data(), sizeof server.clients, &server.clients[2]},
        {"a base", &server.listening, sizeof server.listening, &server.listening},
        {"a member's base", &server, sizeof server, &server.listening},
        {"bytes", &server.control, sizeof(Socket) + 8, &server.control}}) {
    QuasiInvariant quasi_invariant(way.name);
    quasi_invariant.add_part(way.object, way.size, &way.socket->cork, 2 * sizeof way.socket->cork);
    const auto bound = runtime_.bind<&send>(way.socket, _);
    ASSERT_TRUE(all_is_folded(bound)) << way.name;
    set_cork(*way.socket, 3);
    EXPECT_EQ(bound(1'460), 30'001U) << way.name;
    EXPECT_EQ(quasi_invariant.figures().invalidated, 1U) << way.name;
    set_cork(*way.socket, 0);
  }
}

// This limit is documented in docs/guides/quasi_invariants.md.
TEST_F(Watched, TheKernelPassesNone) {
  const auto quasi_invariant = options_of(socket_);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  ASSERT_TRUE(all_is_folded(bound));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::uint64_t cork = 6;
  ASSERT_EQ(write(ends[1], &cork, sizeof cork), 8);
  void *cork_by_nobody = &socket_.cork;
  ASSERT_EQ(read(ends[0], cork_by_nobody, sizeof cork), 8);
  EXPECT_TRUE(quasi_invariant.valid());
  EXPECT_EQ(quasi_invariant.figures().invalidated, 0U);
  close(ends[0]);
  close(ends[1]);
}

// Writers that do not know of the quasi-invariant, and callers: a call that begins after a write
// sees its value.
TEST_F(Watched, NothingStaleIsSeen) {
  sartor::QuasiInvariantOptions how;
  how.back_off = 100us;
  how.longest_back_off = 1ms;
  const auto quasi_invariant = options_of(socket_, how);
  const auto bound = runtime_.bind<&send>(&socket_, _);
  std::atomic<std::uint64_t> published = 0;
  std::atomic<std::uint64_t> wrong = 0;
  std::atomic<bool> done = false;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 2; ++i)
    callers.emplace_back([&] {
      while (!done) {
        const std::uint64_t least = published;
        const std::uint64_t seen = bound(0) / 10'000;
        const std::uint64_t most = published + 1;
        wrong += seen < least || seen > most ? 1 : 0;
      }
    });
  for (std::uint64_t value = 1; value < 200; ++value) {
    set_cork(socket_, value);
    published = value;
    if (value % 20 == 0)
      (void)quasi_invariant.wait_until_valid(kPatience);
  }
  done = true;
  callers.clear();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(quasi_invariant.figures().held, 1U);
}

} // namespace
