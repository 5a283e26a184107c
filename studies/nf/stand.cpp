// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stand.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace nf {

using namespace std::chrono_literals;

Stand::Stand(Lab &lab, sartor::Runtime &runtime, const Function &function, Popularity popularity)
    : lab_(lab), runtime_(runtime), function_(function),
      service_(runtime, function, toml::parse(function.example), flows),
      traffic_(function, flows, popularity, 1),
      specialized_(
          lab.io(), [this](NfIo *io, NfSide side) { return service_.poll(io, side); }, work_),
      native_(lab.io(), function.poll, work_), batch_(lab.io().batch) {
  // Packets of one side may answer those of the other, in either direction.
  for (const NfSide side : {nf_internal, nf_external, nf_internal}) {
    traffic_.make(side);
    lab_.begin_flows(traffic_, side, function.poll);
  }
  service_.wait_until_invariant(10s);
}

double Stand::through(NfSide side, Loop &loop) {
  lab_.fill(side, traffic_.next(side, Lab::frames_at_once));
  const std::uint64_t packets = work_.all_packets();
  const std::uint64_t nanoseconds = work_.nanoseconds;
  loop.empty(side);
  const std::uint64_t went = work_.all_packets() - packets;
  if (lab_.drain() < went / 2) // most packets were dropped: the measurement would be meaningless
    throw std::runtime_error(std::string(function_.name) + " lets too few packets through");
  function_.sweep(lab_.io().now(&lab_.io()));
  return static_cast<double>(work_.nanoseconds - nanoseconds) / static_cast<double>(went);
}

double Stand::specialized(NfSide side) {
  lab_.io().batch = batch_; // the batch size if a variant leaves it generic
  return through(side, specialized_);
}

double Stand::native(NfSide side, std::uint32_t batch) {
  lab_.io().batch = batch;
  return through(side, native_);
}

void Stand::learn() {
  instrument_fast_paths(runtime_, function_, 1);
  for (int i = 0; i < 100; ++i)
    for (const NfSide side : {nf_external, nf_internal})
      specialized(side);
  instrument_fast_paths(runtime_, function_, 0);
}

std::optional<sartor::Decision> Stand::explore(NfSide side, Tuning &tuning,
                                               const std::function<bool()> &each) {
  const std::size_t before = tuning.explorations();
  while (tuning.explorations() == before) {
    specialized(side);
    if (!each())
      return {};
  }
  return tuning.decision();
}

} // namespace nf
