// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>

#include <sartor/bpf_runtime.hpp>

#include "sequence.h"
#include "take_turns.h"
#include "test_run.h"

namespace xdp {

namespace {

constexpr unsigned kSampled = 10;

class Stand {
public:
  Stand(const Scenario &scenario, const Mix &mix)
      : scenario_(scenario), runtime_(sartor::BpfRuntime::open(scenario.object)),
        sequence_(frames_of(scenario, mix, sequence_length)), popular_(mix.popular) {
    change_tables();
  }

  void change_tables() {
    scenario_.load([this](const std::string &name) { return runtime_.map(name); });
  }
  void change_traffic(const Mix &mix) { sequence_.set(frames_of(scenario_, mix, sequence_length)); }
  /// For what it sees now. Empty, or why there is no variant.
  std::string specialize() {
    try {
      runtime_.instrument({scenario_.fast_path}, kSampled);
      time_in_force(8 * sequence_length);
      runtime_.instrument({});
      runtime_.specialize({{scenario_.fast_path, popular_}, {"untagged", true}});
    } catch (const sartor::Error &error) {
      return error.what();
    }
    return "";
  }

  double time_in_force(std::uint32_t packets) {
    return sequence_.time(runtime_.program(scenario_.handler), packets);
  }
  double time_generic(std::uint32_t packets) {
    return sequence_.time(runtime_.generic_program(scenario_.handler), packets);
  }
  double time_nothing(std::uint32_t packets) { return sequence_.time_of_nothing(packets); }

private:
  const Scenario &scenario_;
  sartor::BpfRuntime runtime_;
  Sequence sequence_;
  std::size_t popular_;
};

struct Timed {
  std::function<double()> run;
};

} // namespace

Times measure(const Scenario &scenario, const Mix &mix, std::size_t rounds) {
  constexpr std::uint32_t kPackets = 4 * sequence_length;
  Stand stand(scenario, mix);
  Times times{.mix = mix, .generic = {}, .specialized = {}, .refusal = {}};
  times.refusal = stand.specialize();
  sartor::bench::Samples nothing;
  sartor::bench::Samples ignored;
  const std::array<Timed, 3> programs = {Timed{[&] { return stand.time_generic(kPackets); }},
                                         Timed{[&] { return stand.time_in_force(kPackets); }},
                                         Timed{[&] { return stand.time_nothing(kPackets); }}};
  const std::array<sartor::bench::Samples *, 3> samples = {
      &times.generic, times.refusal.empty() ? &times.specialized : &ignored, &nothing};
  sartor::bench::take_turns(programs, samples, rounds);
  const double constant = sartor::bench::median(nothing).value;
  for (auto *each : {&times.generic, &times.specialized})
    for (double &sample : *each)
      sample = std::max(sample - constant, 1.0);
  return times;
}

std::vector<Moment> follow(const Scenario &scenario, const Mix &mix, std::size_t windows) {
  constexpr std::uint32_t kPackets = 2 * sequence_length;
  Stand stand(scenario, mix);
  Mix other = mix;
  other.seed += 1;
  other.first += mix.popular;
  const auto specialize = [&] { stand.specialize(); };
  const std::array<std::pair<const char *, std::function<void()>>, 6> steps = {{
      {"generic", [] {}},
      {"specialized", specialize},
      {"traffic changes", [&] { stand.change_traffic(other); }},
      {"specialized anew", specialize},
      {"tables change", [&] { stand.change_tables(); }},
      {"specialized anew", specialize},
  }};
  std::vector<Moment> moments;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto &[name, take] : steps) {
    take();
    for (std::size_t i = 0; i < windows; ++i) {
      const double nanoseconds = stand.time_in_force(kPackets);
      const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begin;
      moments.push_back({now.count(), 1e9 / nanoseconds, i == 0 ? name : ""});
    }
  }
  return moments;
}

} // namespace xdp
