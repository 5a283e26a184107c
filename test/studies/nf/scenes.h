// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_SCENES_H
#define SARTOR_TEST_STUDIES_NF_SCENES_H

#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "differential.h"

namespace nf {

/// A function as its variants are compared with its native code.
template <class Config> struct Subject {
  std::string name;
  Config *config;
  void (*take)(const Config &); ///< Puts a configuration in force.
  void (*forget)();             ///< Always makes the same tables.
  void (*sweep)(std::uint64_t now);
  std::span<const std::uint64_t> counts;
  std::vector<std::string> fast_paths;
};

/// A configuration, and what comes while it is in force.
template <class Config> struct Scene {
  Config config;
  Trace trace;
};

using Poll = std::function<std::uint32_t(NfIo *, NfSide)>;

/// Plays scenes one after the other, in tables that are empty at first. `before` and `after` are
/// called around each change of the configuration.
template <class Config>
Played play(
    const Subject<Config> &subject, const std::vector<Scene<Config>> &scenes, const Poll &poll,
    const std::function<void()> &before = [] {}, const std::function<void()> &after = [] {}) {
  MemoryIo io;
  Played played;
  before();
  subject.forget();
  for (const auto &[config, trace] : scenes) {
    before();
    subject.take(config);
    after();
    const std::vector<Sent> sent = run(trace, io, poll);
    played.sent.insert(played.sent.end(), sent.begin(), sent.end());
    subject.sweep(trace.back().now);
  }
  played.counts.assign(subject.counts.begin(), subject.counts.end());
  return played;
}

/// Variants under random settings do with scenes what native code does, which `poll` is at first:
/// `handler` must be the runtime's for it. Each scene has variants of its own, with its
/// configuration promised and what was popular remembered.
template <class Config>
void expect_the_same(const Subject<Config> &subject, const std::vector<Scene<Config>> &scenes,
                     const Played &wanted, sartor::Runtime &runtime, const Poll &handler,
                     std::mt19937_64 &random) {
  std::map<std::string, unsigned> all;
  for (const std::string &label : subject.fast_paths)
    all[label] = 1;
  runtime.instrument(all);
  EXPECT_EQ(play(subject, scenes, handler), wanted);
  runtime.instrument({});
  const auto one_of = [&](std::initializer_list<std::int64_t> choices) {
    return sartor::unguarded(choices.begin()[random() % choices.size()]);
  };
  sartor::Configuration settings{
      {subject.name + ".BATCH_SIZE", one_of({1, 2, 4, 8, 16, 32, 64, 128, 256})},
      {subject.name + ".PREFETCH", one_of({0, 1, 2, 4, 8, 16})},
      {subject.name + ".PROBE", one_of({4, 8, 16, 32})}};
  for (const std::string &label : subject.fast_paths)
    settings.set(label, 1 + static_cast<std::int64_t>(random() % 8));
  sartor::Invariant promise;
  const Played played = play(
      subject, scenes, handler, [&] { promise.invalidate(); },
      [&] {
        promise = sartor::Invariant(subject.config, sizeof *subject.config);
        EXPECT_FALSE(runtime.specialize(settings).empty());
      });
  EXPECT_EQ(played.counts, wanted.counts);
  EXPECT_TRUE(played.sent == wanted.sent);
}

} // namespace nf

#endif
