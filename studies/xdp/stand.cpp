// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stand.h"

#include <array>
#include <chrono>
#include <functional>
#include <utility>

#include "harness.h"
#include "sequence.h"
#include "take_turns.h"

namespace xdp {

namespace {

struct Timed {
  std::function<double()> run;
};

double nanoseconds_a_packet(std::uint32_t packets, const std::function<void()> &work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
             .count() /
         packets;
}

} // namespace

Stand::Stand(Scenario scenario, const Mix &mix)
    : scenario_(std::move(scenario)), runtime_(sartor::BpfRuntime::open(scenario_.object)),
      sequence_(frames_of(scenario_, mix, sequence_length)) {
  load_tables();
}

void Stand::load_tables() {
  scenario_.load([this](const std::string &map) { return runtime_.map(map); });
}

void Stand::change_traffic(const Mix &mix) {
  sequence_.set(frames_of(scenario_, mix, sequence_length));
  runtime_.clear_profile();
}

void Stand::profile(unsigned every) {
  constexpr std::uint32_t kSeen = 8 * sequence_length;
  runtime_.instrument({scenario_.fast_path}, every);
  time(active(), kSeen);
  runtime_.instrument({});
}

double Stand::time(int program, std::uint32_t packets) {
  return nanoseconds_a_packet(packets, [&] { sequence_.time(program, packets); });
}

Stand::Times Stand::compare(std::size_t rounds, std::uint32_t packets) {
  Times times;
  sartor::bench::Samples nothing;
  const std::array<Timed, 3> programs = {
      Timed{[&] { return time(generic(), packets); }},
      Timed{[&] { return time(active(), packets); }}, Timed{[&] {
        return nanoseconds_a_packet(packets, [&] { sequence_.time_of_nothing(packets); });
      }}};
  sartor::bench::take_turns(programs, std::array{&times.generic, &times.active, &nothing}, rounds);
  return {sartor::bench::without(times.generic, nothing),
          sartor::bench::without(times.active, nothing)};
}

} // namespace xdp
