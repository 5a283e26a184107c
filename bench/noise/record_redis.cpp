// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A Redis module that records the server. Its command `noise.nearest KEY` finds, by a
/// handler, the nearest vector to one of the vectors that the key holds. While clients send
/// commands, a thread writes NAME.variants and NAME.watched and then ends the server.
/// record_redis.sh starts everything. The module's arguments are NAME, SECONDS and WATCHED_SECONDS.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include <redismodule.h>
}
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "record.h"
#include "redis_handler.h"

namespace {

using namespace sartor;
constexpr std::size_t dimensions = 128, vectors = 64;
constexpr std::size_t usual_lanes = 4;

/// Lives as long as the server.
struct State {
  Runtime runtime;
  Handler<decltype(bench::nearest)> handler = runtime.handler<&bench::nearest>();
  std::atomic<std::uint64_t> served = 0;
  std::vector<std::int8_t> made_up;
  std::thread recorder;
};
State *state = nullptr;

int nearest(RedisModuleCtx *context, RedisModuleString **arguments, int count) {
  if (count != 2)
    return RedisModule_WrongArity(context);
  auto *key = static_cast<RedisModuleKey *>(
      RedisModule_OpenKey(context, arguments[1], REDISMODULE_READ | REDISMODULE_WRITE));
  std::size_t size = 0;
  if (RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY) // no vectors are stored at the key
    RedisModule_StringSet(key, RedisModule_CreateString(
                                   context, reinterpret_cast<const char *>(state->made_up.data()),
                                   state->made_up.size()));
  const auto *held =
      reinterpret_cast<const std::int8_t *>(RedisModule_StringDMA(key, &size, REDISMODULE_READ));
  const std::uint64_t served = state->served.load(std::memory_order_relaxed);
  const std::size_t found =
      state->handler(held, size / dimensions, dimensions,
                     held + served % (size / dimensions) * dimensions, usual_lanes);
  state->served.store(served + 1, std::memory_order_relaxed);
  RedisModule_CloseKey(key);
  return RedisModule_ReplyWithLongLong(context, static_cast<long long>(found));
}

Configuration lanes(std::uint64_t lanes, bool with_dimensions) {
  Configuration configuration;
  if (lanes > 0)
    configuration.set("L", unguarded(lanes));
  if (with_dimensions)
    configuration.set("D", dimensions);
  return configuration;
}

void record(const std::string &name, bench::Lengths lengths) {
  try {
    while (state->served < 1000) // until the clients have started
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bench::record({state->runtime,
                   Objective::rate_of(state->served),
                   {lanes(0, false), lanes(4, false), lanes(8, false), lanes(16, false),
                    lanes(4, true), lanes(8, true), lanes(16, true)}},
                  name, lengths);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "record_redis: %s\n", error.what());
  }
  std::fflush(stdout);
  kill(getpid(), SIGTERM);
}

} // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Redis chose this name
extern "C" int RedisModule_OnLoad(RedisModuleCtx *context, RedisModuleString **arguments,
                                  int count) {
  if (RedisModule_Init(context, "noise", 1, REDISMODULE_APIVER_1) == REDISMODULE_ERR || count != 3)
    return REDISMODULE_ERR;
  if (RedisModule_CreateCommand(context, "noise.nearest", nearest, "write", 1, 1, 1) ==
      REDISMODULE_ERR)
    return REDISMODULE_ERR;
  state = new State;
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t i = 0; i < vectors * dimensions; ++i)
    state->made_up.push_back(static_cast<std::int8_t>(random()));
  const auto text = [&](int i) {
    return std::string(RedisModule_StringPtrLen(arguments[i], nullptr));
  };
  const bench::Lengths lengths{std::stod(text(1)), std::stod(text(2))};
  state->recorder = std::thread(record, text(0), lengths);
  return REDISMODULE_OK;
}
