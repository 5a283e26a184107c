// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "differential.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>

#include <sartor/sartor.hpp>

#include "settings.h"

namespace nf {

namespace {

using Poll = std::function<std::uint32_t(NfIo *, NfSide)>;

Played play(const Play &play, const std::function<void(const toml::table &)> &configure,
            const Poll &poll) {
  const Function &function = play.function;
  play.forget();
  MemoryIo io;
  Played played;
  const std::size_t parts = play.configurations.size();
  for (std::size_t part = 0; part < parts; ++part) {
    const toml::table file = toml::parse(play.configurations[part]);
    configure(table_of(file, function.name));
    const auto at = [&](std::size_t of) {
      return play.trace.begin() + static_cast<std::ptrdiff_t>(play.trace.size() * of / parts);
    };
    const Trace trace(at(part), at(part + 1));
    std::ranges::move(run(trace, io, poll), std::back_inserter(played.sent));
    function.sweep(trace.back().now);
  }
  played.counts.assign(function.counts, function.counts + function.outcomes.size());
  return played;
}

std::int64_t one_of(std::mt19937_64 &random, std::span<const std::int64_t> numbers) {
  return numbers[random() % numbers.size()];
}

} // namespace

Played Play::generic() const { return play(*this, function.configure, function.poll); }

Played Play::specialized(std::uint64_t seed) const {
  constexpr std::array<std::int64_t, 4> batches = {1, 8, 32, 256};
  constexpr std::array<std::int64_t, 3> ahead = {0, 4, 16};
  constexpr std::array<std::int64_t, 2> at_once = {4, 32};
  std::mt19937_64 random(seed);
  sartor::Runtime runtime;
  auto poll = runtime.handler<std::uint32_t(NfIo *, NfSide)>(std::string(function.name) + "_poll");
  std::optional<sartor::Invariant> invariant;
  const auto label = [&](const char *point) { return std::string(function.name) + '.' + point; };
  std::vector<std::string> fast_paths;
  for (const sartor::Point &point : runtime.space().points())
    if (point.kind == sartor::PointKind::fast_path && point.label.starts_with(label("")))
      fast_paths.push_back(point.label);
  const auto configure = [&](const toml::table &table) {
    invariant.reset();
    function.configure(table);
    invariant.emplace(function.configuration().data(), function.configuration().size());
    sartor::Configuration points;
    points.set(label("BATCH_SIZE"), sartor::unguarded(one_of(random, batches)));
    points.set(label("PREFETCH"), sartor::unguarded(one_of(random, ahead)));
    points.set(label("PROBE"), sartor::unguarded(one_of(random, at_once)));
    const sartor::Profile profile = runtime.profile();
    for (const std::string &fast_path : fast_paths)
      if (profile.find(fast_path) && profile.find(fast_path)->count > 0)
        points.set(fast_path, 16);
    runtime.specialize(points);
    std::map<std::string, unsigned> every;
    for (const std::string &fast_path : fast_paths)
      every[fast_path] = 2;
    runtime.instrument(every);
  };
  return play(*this, configure, [&](NfIo *io, NfSide side) { return poll(io, side); });
}

} // namespace nf
