// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the gain of sartor_local() for an interpreter whose registers are in memory: a
/// loop of its program, generic, folded, folded with registers in values between polls, and written
/// by hand. Also measures an interpreter with a function for each operation.

#include <cstdio>
#include <stdexcept>
#include <string>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "locals_program.h"

namespace sartor::bench {

const char *const bench_name = "locals";

namespace {

constexpr unsigned long kTimes = 20'000;
constexpr std::size_t kRounds = 201;

LocalsMachine machine_at_start() { return {{kTimes, 3, 0x9e3779b97f4a7c15U, 0, 0, 0, 0, 0}, 0}; }

template <class Run> unsigned long outcome(const Run &run) {
  LocalsMachine machine = machine_at_start();
  unsigned long sum = run(&machine);
  for (const unsigned long each : machine.registers)
    sum = sum * 31 + each;
  return sum + machine.polled;
}

} // namespace

std::vector<Figure> measure() {
  const LocalsProgram program{locals_code};
  Invariant invariant;
  invariant.add(&program, sizeof program);
  invariant.add(&locals_code, sizeof locals_code);
  Runtime runtime;
  auto in_memory = runtime.bind<&locals_in_memory>(&program, _);
  auto in_values = runtime.bind<&locals_in_values>(&program, _);
  auto in_tails = runtime.bind<&locals_in_tails>(&program, _);
  in_memory.wait();
  in_values.wait();
  in_tails.wait();

  std::vector<Alternative> alternatives;
  const auto add = [&](const std::string &name, const auto &run) {
    if (outcome(run) != outcome(locals_by_hand))
      throw std::runtime_error(name + ": a result is wrong");
    alternatives.push_back({name, [&run] {
                              unsigned long sum = outcome(run);
                              keep(sum);
                            }});
  };
  const auto generic = [&](LocalsMachine *machine) { return locals_in_memory(&program, machine); };
  add("generic", generic);
  add("folded", in_memory);
  add("in values", in_values);
  add("by hand", locals_by_hand);
  const auto generic_tails = [&](LocalsMachine *machine) {
    return locals_in_tails(&program, machine);
  };
  add("generic tails", generic_tails);
  add("tails", in_tails);
  const std::vector<Samples> samples = interleave(alternatives, kRounds);
  for (std::size_t i = 0; i < samples.size(); ++i)
    std::printf("%-13s %.2f ticks a round\n", alternatives[i].name.c_str(),
                median(samples[i]).value / kTimes);
  return {{"memory_over_values", "ratio", ratio(samples[1], samples[2])},
          {"generic_over_values", "ratio", ratio(samples[0], samples[2])},
          {"values_over_handwritten", "ratio", ratio(samples[2], samples[3]), at_most(1.05)},
          {"generic_tails_over_tails", "ratio", ratio(samples[4], samples[5])},
          {"tails_over_handwritten", "ratio", ratio(samples[5], samples[3]), at_most(1.05)}};
}

} // namespace sartor::bench
