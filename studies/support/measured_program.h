// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_SUPPORT_MEASURED_PROGRAM_H
#define STUDIES_SUPPORT_MEASURED_PROGRAM_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/personality.h>

#include "process.h"
#include "take_turns.h"

namespace studies {

/// A process that computes the same again and again and measures itself. It prints its result,
/// then, for each line of its input, the time that one more run took: a number in a unit of its
/// own. Its address space is not randomized: from one random layout to the next, the time of an
/// interpreter differs by up to 20 %, more than most differences that are measured.
class MeasuredProgram {
public:
  /// Starts the program, whose result is known when this returns. Throws std::runtime_error if it
  /// cannot be started.
  explicit MeasuredProgram(std::vector<std::string> words)
      : process_(start(std::move(words))), result_(process_.line()) {}

  [[nodiscard]] const std::string &result() const { return result_; }

  /// Runs it twice more; returns the time that it prints for the second run. While a program waits
  /// for its turn, caches become cold, and what is due by the clock accumulates, such as the
  /// comparison of calls: the first run would have all of that. Throws std::runtime_error if the
  /// program has ended.
  [[nodiscard]] double run() const {
    (void)run_once();
    return run_once();
  }

private:
  [[nodiscard]] double run_once() const {
    process_.go();
    const std::string time = process_.line();
    if (time.empty())
      throw std::runtime_error("a measured program has ended");
    return std::stod(time);
  }

  static sartor::bench::Process start(std::vector<std::string> words) {
    constexpr unsigned long kQuery = 0xffffffff;
    const int before = personality(kQuery);
    if (personality(static_cast<unsigned>(before) | ADDR_NO_RANDOMIZE) == -1)
      std::fprintf(stderr, "The layout of %s is randomized: personality() is not permitted.\n",
                   words.back().c_str());
    sartor::bench::Process process(std::move(words));
    personality(static_cast<unsigned>(before));
    return process;
  }

  sartor::bench::Process process_;
  std::string result_;
};

/// Lets `programs`, which do the work called `name` in several ways, take turns for `rounds`
/// rounds; adds what each measures to `samples`. Throws std::runtime_error if results differ. A
/// Program has the members `result()` and `run()` of MeasuredProgram.
template <class Program, std::size_t n>
void compare(const std::string &name, const std::array<Program, n> &programs,
             const std::array<sartor::bench::Samples *, n> &samples, std::size_t rounds) {
  for (const Program &each : programs)
    if (each.result().empty() || each.result() != programs[0].result())
      throw std::runtime_error(name + ": the results of two programs differ");
  sartor::bench::take_turns(programs, samples, rounds);
}

/// As compare(), with programs that `start` starts anew for every three rounds: of two processes
/// that run the same program with the same settings, one may be slower by a quarter for as long as
/// it lives, depending on the memory that it gets.
template <class Start, std::size_t n>
void compare_processes(const std::string &name, Start start,
                       const std::array<sartor::bench::Samples *, n> &samples, std::size_t rounds) {
  constexpr std::size_t kMostRounds = 3;
  for (std::size_t done = 0; done < rounds; done += kMostRounds)
    compare(name, start(), samples, std::min(kMostRounds, rounds - done));
}

} // namespace studies

#endif
