// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that block within handlers, and the operations that do not wait for them.
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/blocking.h"
#include "handlers/blocking_c.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::QuasiInvariant;
using sartor::Write;

std::atomic<int> waiting = 0;
std::atomic<int> words = 0; ///< The number of words that have arrived.

class Pipe {
public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  [[nodiscard]] int end() const { return ends_[0]; }
  void send(std::uint64_t word) const {
    EXPECT_EQ(write(ends_[1], &word, sizeof word), static_cast<ssize_t>(sizeof word));
  }

private:
  int ends_[2] = {-1, -1};
};

} // namespace

extern "C" std::uint64_t word_from(int pipe) {
  std::uint64_t word = 0;
  ++waiting;
  EXPECT_EQ(read(pipe, &word, sizeof word), static_cast<ssize_t>(sizeof word));
  --waiting;
  ++words;
  return word;
}

namespace {

class Blocking : public testing::Test {
protected:
  Blocking() { quasi_invariant_.add_fields(channel_, &Channel::mode); }

  /// Waits until the quasi-invariant is folded.
  template <class Bound> void be_specialized(const Bound &bound) {
    bound.wait();
    ASSERT_TRUE(comes_true([&] {
      runtime_.bind<&receive>(&channel_, _).wait();
      bound.wait();
      pipe_.send(0);
      return runtime_.bind<&receive>(&channel_, _)(pipe_.end()).is_folded;
    }));
  }

  template <class Call> auto begin(Call call) {
    const int before = waiting;
    auto result = std::async(std::launch::async, std::move(call));
    EXPECT_TRUE(comes_true([&] { return waiting > before; }));
    std::this_thread::sleep_for(20ms); // and is in the system call
    return result;
  }

  static std::future<void> write(const QuasiInvariant &quasi_invariant, std::uint64_t &mode,
                                 std::uint64_t value) {
    return std::async(std::launch::async, [&quasi_invariant, &mode, value] {
      const Write write(quasi_invariant);
      mode = value;
    });
  }
  std::future<void> change_mode(std::uint64_t mode) {
    return write(quasi_invariant_, channel_.mode, mode);
  }
  /// Changes the mode while a thread is blocked; this must not wait for the thread.
  void change_mode_at_once(std::uint64_t mode) {
    auto changed = change_mode(mode);
    EXPECT_EQ(changed.wait_for(kPatience), std::future_status::ready);
  }

  Channel channel_{0, 3};
  Pipe pipe_;
  sartor::Runtime runtime_;
  QuasiInvariant quasi_invariant_{"mode"};
};

TEST_F(Blocking, ThreadsAreNotWaitedForAndGoOnInGenericCode) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive>(&channel_, _);
  be_specialized(bound);
  auto received = begin([&] { return bound(pipe_.end()); });
  change_mode_at_once(4);
  pipe_.send(7);
  const Received got = received.get();
  EXPECT_EQ(got.before, 3U);
  EXPECT_EQ(got.word, 7U);
  EXPECT_EQ(got.after, 4U);
  EXPECT_FALSE(got.is_folded);
}

TEST_F(Blocking, ThreadsGoOnInTheirCodeIfNothingHasChanged) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive>(&channel_, _);
  be_specialized(bound);
  auto received = begin([&] { return bound(pipe_.end()); });
  pipe_.send(7);
  const Received got = received.get();
  EXPECT_EQ(got.after, 3U);
  EXPECT_TRUE(got.is_folded);
}

TEST_F(Blocking, TheirCodeStaysUntilTheyHaveReturned) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  auto bound = std::make_unique<decltype(runtime_.bind<&receive>(&channel_, _))>(
      runtime_.bind<&receive>(&channel_, _));
  be_specialized(*bound);
  auto received = begin([&] { return (*bound)(pipe_.end()); });
  for (std::uint64_t mode = 4; mode < 8; ++mode) {
    change_mode_at_once(mode);
    ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
    runtime_.bind<&receive>(&channel_, _).wait();
  }
  pipe_.send(7);
  EXPECT_EQ(received.get().after, 7U);
}

TEST_F(Blocking, InALoopTheRestIsGeneric) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive_all>(&channel_, _, _);
  be_specialized(bound);
  auto sum = begin([&] { return bound(pipe_.end(), 5); });
  const int before = words;
  const auto waits_after = [&](int count) {
    return comes_true([&] { return words == before + count && waiting == 1; });
  };
  pipe_.send(1);
  pipe_.send(1);
  ASSERT_TRUE(waits_after(2));
  change_mode_at_once(10);
  pipe_.send(1);
  ASSERT_TRUE(waits_after(3));
  change_mode_at_once(100);
  pipe_.send(1);
  pipe_.send(1);
  EXPECT_EQ(sum.get(), 3 + 3 + 10 + 100 + 100);
}

TEST_F(Blocking, MayBeLeftInAnyWay) {
  const auto bound = runtime_.bind<&receive_and_leave>(&channel_, _, _);
  for (int way = 0; way <= 5; ++way) {
    ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
    be_specialized(bound);
    auto mode = begin([&] {
      try {
        return bound(pipe_.end(), way);
      } catch (long) {
        return channel_.mode;
      }
    });
    const std::uint64_t now = channel_.mode + 1;
    change_mode_at_once(now);
    pipe_.send(1);
    EXPECT_EQ(mode.get(), now) << "by way " << way;
    // A thread that left the section in any of these ways counts as running in its next call.
    change_mode_at_once(now);
  }
}

TEST_F(Blocking, InAFunctionThatIsPartOfTheHandlerIsTheSame) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive_by_inline>(&channel_, _);
  be_specialized(bound);
  auto sum = begin([&] { return bound(pipe_.end()); });
  change_mode_at_once(4);
  pipe_.send(1000);
  EXPECT_EQ(sum.get(), 1000U + 4 + 40);
}

TEST_F(Blocking, InAFunctionThatIsCalledIsWaitedFor) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive_by_call>(&channel_, _);
  be_specialized(bound);
  auto sum = begin([&] { return bound(pipe_.end()); });
  auto changed = change_mode(4);
  EXPECT_EQ(changed.wait_for(200ms), std::future_status::timeout);
  pipe_.send(1);
  EXPECT_EQ(sum.get(), 1U + 30 + 300);
  changed.get();
}

TEST_F(Blocking, WithinAnotherHandlerIsWaitedFor) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto inner = runtime_.bind<&receive>(&channel_, _);
  const auto outer = runtime_.bind<&receive_by_other>(&channel_, _, _, _);
  be_specialized(outer);
  using Inner = decltype(inner);
  const auto call = [](void *how, int pipe) { return (*static_cast<Inner *>(how))(pipe); };
  auto sum = begin([&] {
    return outer(pipe_.end(), +call, const_cast<void *>(static_cast<const void *>(&inner)));
  });
  auto changed = change_mode(4);
  EXPECT_EQ(changed.wait_for(200ms), std::future_status::timeout);
  pipe_.send(1);
  EXPECT_EQ(sum.get(), 1U + 30 + 300);
  changed.get();
}

TEST_F(Blocking, NativeCodeIsNotWaitedForEither) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  be_specialized(runtime_.bind<&receive>(&channel_, _)); // a variant depends on the quasi-invariant
  Channel other{0, 1};
  const auto native = runtime_.handler<&receive_all>();
  auto sum = begin([&] { return native(&other, pipe_.end(), 1); });
  change_mode_at_once(4);
  pipe_.send(5);
  EXPECT_EQ(sum.get(), 5U);
}

TEST_F(Blocking, FunctionsThatAreCalledAfterwardsAreGenericToo) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive_and_ask>(&channel_, _);
  be_specialized(bound);
  auto asked = begin([&] { return bound(pipe_.end()); });
  change_mode_at_once(4);
  pipe_.send(2);
  EXPECT_EQ(asked.get(), 3'001'004'002U);
}

TEST_F(Blocking, FunctionsThatWereKnownBeforehandAreGenericToo) {
  channel_.how = ask_outside;
  auto how = runtime_.invariant(channel_, &Channel::how);
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive_and_ask_by_pointer>(&channel_, _);
  be_specialized(bound);
  auto asked = begin([&] { return bound(pipe_.end()); });
  change_mode_at_once(4);
  pipe_.send(2);
  EXPECT_EQ(asked.get(), 3'001'004'002'004'002U);
}

TEST_F(Blocking, ThreadsThatHaveJumpedOutAreWaitedForInTheirNextCall) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto jumps = runtime_.bind<&receive_and_jump>(&channel_, _, _);
  const auto stays = runtime_.bind<&receive_by_call>(&channel_, _);
  be_specialized(jumps);
  be_specialized(stays);
  const int before = words;
  pipe_.send(1);
  auto sum = begin([&] {
    std::jmp_buf where;
    if (setjmp(where) == 0)
      jumps(pipe_.end(), &where);
    return stays(pipe_.end());
  });
  ASSERT_TRUE(comes_true([&] { return words == before + 1 && waiting == 1; }));
  auto changed = change_mode(4);
  EXPECT_EQ(changed.wait_for(200ms), std::future_status::timeout);
  pipe_.send(1);
  EXPECT_EQ(sum.get(), 1U + 30 + 300);
  changed.get();
}

TEST_F(Blocking, InvariantsAreRevokedAtOnce) {
  Channel other{0, 5};
  auto invariant = runtime_.invariant(other, &Channel::mode);
  const auto bound = runtime_.bind<&receive>(&other, _);
  bound.wait();
  auto received = begin([&] { return bound(pipe_.end()); });
  auto changed = std::async(std::launch::async, [&] {
    invariant.invalidate();
    other.mode = 6;
  });
  EXPECT_EQ(changed.wait_for(kPatience), std::future_status::ready);
  pipe_.send(1);
  EXPECT_EQ(received.get().after, 6U);
}

TEST_F(Blocking, InCIsTheSame) {
  CChannel channel{3};
  QuasiInvariant quasi_invariant("mode in C");
  quasi_invariant.add_fields(channel, &CChannel::mode);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive_in_c>(&channel, _);
  bound.wait();
  auto mode = begin([&] { return bound(pipe_.end()); });
  auto changed = write(quasi_invariant, channel.mode, 4);
  EXPECT_EQ(changed.wait_for(kPatience), std::future_status::ready);
  pipe_.send(1);
  EXPECT_EQ(mode.get(), 34U);
}

TEST_F(Blocking, InADirectCallIsTheSame) {
  QuasiInvariant quasi_invariant("mode of all");
  quasi_invariant.add_fields(only_channel, &CChannel::mode);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  runtime_.specialize({});
  ASSERT_TRUE(comes_true([&] {
    pipe_.send(1);
    return receive_directly(pipe_.end()) == 1033;
  }));
  pipe_.send(1);
  std::atomic<bool> again = false;
  auto mode = std::async(std::launch::async, [&] {
    receive_directly(pipe_.end()); // the first direct call of a thread has an additional frame
    again = true;
    return receive_directly(pipe_.end());
  });
  ASSERT_TRUE(comes_true([&] { return again && waiting == 1; }));
  std::this_thread::sleep_for(20ms);
  auto changed = write(quasi_invariant, only_channel.mode, 4);
  EXPECT_EQ(changed.wait_for(kPatience), std::future_status::ready);
  pipe_.send(1);
  EXPECT_EQ(mode.get(), 34U);
}

// A word that is sent after a mode was set must be processed with that mode or a later one.
TEST_F(Blocking, NoOldValueIsSeenAfterItHasChanged) {
  constexpr std::uint64_t kWords = 4000;
  constexpr int kThreads = 3;
  std::vector<std::unique_ptr<Pipe>> pipes;
  for (int i = 0; i < kThreads; ++i)
    pipes.push_back(std::make_unique<Pipe>());
  channel_.mode = 0;
  std::atomic<int> old_seen = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, pipe = pipes[static_cast<std::size_t>(i)]->end()] {
        const auto bound = runtime_.bind<&receive>(&channel_, _);
        for (std::uint64_t word = 0; word < kWords; ++word) {
          const Received got = bound(pipe);
          if (got.after < got.word || got.before > got.after)
            ++old_seen;
        }
      });
    for (std::uint64_t word = 1; word <= kWords; ++word) {
      if (word % 4 == 0) {
        const Write write(quasi_invariant_);
        __atomic_store_n(&channel_.mode, word, __ATOMIC_RELAXED);
      }
      if (word % 1000 == 0)
        EXPECT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
      for (const auto &pipe : pipes)
        pipe->send(word / 4 * 4);
    }
  }
  EXPECT_EQ(old_seen, 0);
}

// A thread that is blocked does not delay the reclamation of code that it cannot be running.
TEST_F(Blocking, ThreadsDelayOnlyWhatTheyMayUse) {
  ASSERT_TRUE(quasi_invariant_.wait_until_valid(kPatience));
  const auto bound = runtime_.bind<&receive>(&channel_, _);
  be_specialized(bound);
  auto received = begin([&] { return bound(pipe_.end()); });
  Channel busy{0, 1};
  sartor::QuasiInvariantOptions options;
  options.back_off = options.longest_back_off = 1ms;
  options.hold_callers = 100ms;
  QuasiInvariant often("often", options);
  often.add_fields(busy, &Channel::mode);
  const auto other = runtime_.bind<&receive>(&busy, _);
  constexpr std::uint64_t kInvalidations = 60;
  for (std::uint64_t i = 0; i < kInvalidations; ++i) {
    ASSERT_TRUE(often.wait_until_valid(kPatience));
    other.wait();
    const Write write(often);
    busy.mode = i % 3 == 0 ? 1 : i; // some variants are compiled again
  }
  EXPECT_TRUE(comes_true([&] { return runtime_.statistics().waiting < kInvalidations / 4; }))
      << runtime_.statistics().waiting;
  change_mode_at_once(5);
  pipe_.send(7);
  EXPECT_EQ(received.get().after, 5U);
  EXPECT_TRUE(comes_true([&] { return runtime_.statistics().waiting == 0; }));
}

} // namespace
