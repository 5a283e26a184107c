// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures how long a thread that runs guest programs is busy with a request for a variant,
/// and what a variant of a small program costs.

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "programs_handler.h"

namespace sartor::bench {

const char *const bench_name = "programs";

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPrograms = 1'000;
constexpr std::uint64_t kInput = 12'345;
constexpr std::chrono::minutes kLongest{5};

struct Program {
  explicit Program(unsigned number)
      : code{{{Operation::add, 0, number},
              {Operation::multiply, 0, 2 * number + 1},
              {Operation::jump_if_odd, 4, 0},
              {Operation::exclusive_or, 0, 7 + number % 16},
              {Operation::add, 0, 3 * number},
              {Operation::leave, 0, 0}}} {}

  std::array<Instruction, 6> code;
  GuestProgram state;
};

double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

void wait_for(Program &program) {
  const auto until = Clock::now() + kLongest;
  while (!program.state.function<std::uint64_t(std::uint64_t)>()) {
    if (program.state.state() == GuestState::excluded)
      throw std::runtime_error("a program is excluded: " + program.state.why_not());
    if (Clock::now() > until)
      throw std::runtime_error("a program has no variant after five minutes");
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  GuestPrograms set(runtime, {.most = kPrograms + 1});
  const auto request = [&](Program &program) {
    Invariant code;
    code.add(program.code.data(), sizeof program.code);
    const auto start = Clock::now();
    set.specialize(program.state, "sartor::bench::interpret",
                   {{0, Value(reinterpret_cast<std::uintptr_t>(program.code.data()))}},
                   std::move(code));
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  Program first(0);
  request(first);
  wait_for(first); // the compiler has been loaded

  std::vector<std::unique_ptr<Program>> programs;
  for (unsigned number = 1; number <= kPrograms; ++number)
    programs.push_back(std::make_unique<Program>(number));
  const double before = processor_milliseconds();
  Samples spent;
  for (const auto &program : programs) {
    spent.push_back(request(*program));
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // as programs become hot
  }
  for (const auto &program : programs) {
    wait_for(*program);
    auto *const variant = program->state.function<std::uint64_t(std::uint64_t)>();
    if (variant(kInput) != interpret(program->code.data(), kInput))
      throw std::runtime_error("the result of a variant is wrong");
  }
  const double worked = (processor_milliseconds() - before) / kPrograms;
  const double longest = *std::max_element(spent.begin(), spent.end());
  return {{"ask_us", "us", median(spent), at_most(20)},
          {"ask_longest_us", "us", {longest, longest, longest}, at_most(200)},
          {"variant_cpu_ms", "ms", {worked, worked, worked}}};
}

} // namespace sartor::bench
