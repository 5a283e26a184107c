// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <array>
#include <chrono>
#include <functional>
#include <utility>

#include "sequence.h"
#include "stand.h"

namespace xdp {

namespace {

constexpr unsigned kSampled = 10;

/// Specializes to the current samples. Returns an empty text, or the reason why there is no
/// variant.
std::string specialize(Stand &stand, const Scenario &scenario, const Mix &mix) {
  try {
    stand.profile(kSampled);
    stand.runtime().specialize({{scenario.fast_path, mix.popular}, {"untagged", true}});
  } catch (const sartor::Error &error) {
    return error.what();
  }
  return "";
}

} // namespace

Times measure(const Scenario &scenario, const Mix &mix, std::size_t rounds) {
  Stand stand(scenario, mix);
  Times times{.mix = mix, .generic = {}, .specialized = {}, .refusal = {}};
  times.refusal = specialize(stand, scenario, mix);
  Stand::Times found = stand.compare(rounds, 4 * sequence_length);
  times.generic = std::move(found.generic);
  if (times.refusal.empty())
    times.specialized = std::move(found.active);
  return times;
}

std::vector<Moment> follow(const Scenario &scenario, const Mix &mix, std::size_t windows) {
  constexpr std::uint32_t kPackets = 2 * sequence_length;
  Stand stand(scenario, mix);
  Mix other = mix;
  other.seed += 1;
  other.first += mix.popular;
  const auto adapt = [&] { specialize(stand, scenario, mix); };
  const std::array<std::pair<const char *, std::function<void()>>, 6> steps = {{
      {"generic", [] {}},
      {"specialized", adapt},
      {"traffic changes", [&] { stand.change_traffic(other); }},
      {"specialized anew", adapt},
      {"tables change", [&] { stand.load_tables(); }},
      {"specialized anew", adapt},
  }};
  std::vector<Moment> moments;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto &[name, take] : steps) {
    take();
    for (std::size_t i = 0; i < windows; ++i) {
      const double nanoseconds = stand.time(stand.active(), kPackets);
      const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begin;
      moments.push_back({now.count(), 1e9 / nanoseconds, i == 0 ? name : ""});
    }
  }
  return moments;
}

} // namespace xdp
