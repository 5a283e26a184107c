// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same calls by generic and by specialized reads, on copies of an image.
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "read_images.h"

namespace {

using namespace std::chrono_literals;
using files::Client;
using files::FileService;
using files::From;
using files::RecordLocking;

constexpr int kCalls = 3'000;
constexpr unsigned kClients = 3;
constexpr std::size_t kLargestRead = 100'000;
/// After so many calls, the test waits until the open files are specialized.
constexpr int kPauseAfter = 200;
constexpr int kDescriptors = 6;
/// The time limit for any event, also on a loaded machine.
constexpr auto kPatience = 60s;

constexpr const char *kPaths[] = {"/words", "/large", "/small", "/empty", "/sparse", "/", "/none"};

/// One of the two services, and its last call.
struct Side {
  FileService *service;
  std::vector<Client *> clients;
  std::string got;
};

class Calls {
public:
  explicit Calls(unsigned seed) : random_(seed) {}

  /// Makes the same random call on both sides; returns both results.
  std::pair<long, long> next(Side &one, Side &other) {
    const unsigned kind = below(100);
    const unsigned client = below(kClients);
    const int descriptor = static_cast<int>(below(kDescriptors)) - (below(50) == 0 ? 2 : 0);
    const char *path = kPaths[below(std::size(kPaths))];
    const std::uint64_t place = below(2) == 0 ? below(70'000) : below(450'000);
    const std::size_t bytes = below(3) == 0 ? below(kLargestRead) : below(40);
    const auto mode = below(4);
    const auto from = static_cast<From>(below(3));
    const auto how = static_cast<RecordLocking>(below(3));
    const auto call = [&](Side &side) -> long {
      FileService &service = *side.service;
      Client &by = *side.clients[client];
      side.got.clear();
      if (kind < 62)
        return read(side, by, descriptor, bytes);
      if (kind < 72)
        return service.open(by, path, mode);
      if (kind < 77)
        return service.lseek(by, descriptor, static_cast<std::int64_t>(place) - 1'000, from);
      if (kind < 84)
        return service.write(by, descriptor, words(0, kLargestRead, 7).data(), bytes);
      if (kind < 86)
        return service.truncate(path, place);
      if (kind < 88)
        return service.dup(by, descriptor);
      if (kind < 92)
        return service.lock(by, descriptor, place, place + bytes, how);
      if (kind < 97)
        return service.close(by, descriptor);
      if (kind < 99)
        return fork(side, client, (client + 1) % kClients);
      service.remount(mode % 2 == 0);
      service.set_time(static_cast<std::uint32_t>(1'700'000'000 + place));
      return 0;
    };
    return {call(one), call(other)};
  }

private:
  unsigned below(std::size_t bound) { return static_cast<unsigned>(random_() % bound); }

  static long read(Side &side, Client &by, int descriptor, std::size_t bytes) {
    side.got.resize(bytes);
    const long got = side.service->read(by, descriptor, side.got.data(), bytes);
    side.got.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return got;
  }
  static long fork(Side &side, unsigned parent, unsigned child) {
    side.service->end(*side.clients[child]);
    side.clients[child] = &side.service->fork(*side.clients[parent]);
    return 0;
  }

  std::mt19937_64 random_;
};

std::string content(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// True if active code depends on quasi-invariants for at least one descriptor.
bool is_specialized(Side &side) {
  for (Client *client : side.clients)
    for (int i = 0; i < kDescriptors; ++i)
      if (FileService::active_quasi_invariants(*client, i) != 0)
        return true;
  return false;
}

bool something_is_open(Side &side) {
  for (Client *client : side.clients)
    for (int i = 0; i < kDescriptors; ++i)
      if (side.service->lseek(*client, i, 0, From::here) >= 0)
        return true;
  return false;
}

bool comes_to_be_specialized(Side &side) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_specialized(side)) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

void compare(unsigned seed) {
  const files::ScratchFolder folder;
  const auto first = folder.path() / "first";
  const auto second = folder.path() / "second";
  make_test_image(first);
  std::filesystem::copy_file(first, second);
  {
    sartor::Runtime runtime;
    FileService generic(first, kBuffers);
    FileService fitted(second, kBuffers, runtime, eager());
    Side one{&generic, {}, {}};
    Side other{&fitted, {}, {}};
    for (Side *side : {&one, &other}) {
      side->service->set_time(1'700'000'000);
      for (unsigned i = 0; i < kClients; ++i)
        side->clients.push_back(&side->service->add_client());
    }
    Calls calls(seed);
    for (int i = 0; i < kCalls; ++i) {
      const auto [expected, got] = calls.next(one, other);
      ASSERT_EQ(expected, got) << "call " << i << ", seed " << seed;
      ASSERT_TRUE(one.got == other.got) << "call " << i << ", seed " << seed;
      if (i % kPauseAfter == 0 && something_is_open(other))
        ASSERT_TRUE(comes_to_be_specialized(other)) << "call " << i;
    }
  }
  EXPECT_TRUE(content(first) == content(second)) << "seed " << seed;
}

TEST(ReadDifferential, RandomCallsGiveTheSameAndLeaveTheSame) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    compare(seed);
}

TEST(ReadDifferential, MountsNothingButExt2) {
  const files::ScratchFolder folder;
  const auto image = folder.path() / "image";
  EXPECT_THROW(FileService(image, kBuffers), std::runtime_error);
  std::ofstream(image) << std::string(10'000, 'x');
  EXPECT_THROW(FileService(image, kBuffers), std::runtime_error);
}

} // namespace
