// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the time to make a variant from the code of the previous stage, over the same
/// from the source: the send path of lwIP (studies/send) for one size of messages, once in a single
/// stage, and once where the socket, with its destination and route, is a stage of its own.

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "rig.h"

namespace sartor::bench {

const char *const bench_name = "stages";

namespace {

constexpr std::size_t kRounds = 60; // more rounds than one context of the compiler serves
constexpr std::size_t kWarmup = 2;

using Clock = std::chrono::steady_clock;

/// Returns the milliseconds until the code that `bind` requests is active.
template <class Bind> double time(Bind bind) {
  const auto begin = Clock::now();
  bind().wait();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

} // namespace

std::vector<Figure> measure() {
  // Never freed: lwIP's thread runs until the process ends.
  static auto *rig = new send::Rig(std::filesystem::temp_directory_path(), {64});
  const int socket = rig->socket(0);
  Runtime runtime;
  const auto open = runtime.bind<&lwip_send>(socket, _, _, int{MSG_DONTWAIT});
  open.wait();
  Samples source;
  Samples stage;
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    // Each size is new.
    const std::size_t size = 100 + 2 * round;
    const auto from_source = [&] {
      source.push_back(
          time([&] { return runtime.bind<&lwip_send>(socket, _, size, int{MSG_DONTWAIT}); }));
    };
    const bool source_first = round % 2 == 0;
    if (source_first)
      from_source();
    const std::uint64_t staged = runtime.statistics().staged;
    stage.push_back(time([&] { return open.bind(_, size + 1); }));
    if (runtime.statistics().staged != staged + 1)
      throw std::runtime_error("not made from the stage before");
    if (!source_first)
      from_source();
    if (round + 1 == kWarmup)
      source = stage = {};
  }
  return {{"stage_over_source", "ratio", ratio(stage, source)},
          {"stage_ms", "ms", median(stage)},
          {"source_ms", "ms", median(source)}};
}

} // namespace sartor::bench
