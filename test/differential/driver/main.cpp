// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Runs a program under many configurations and inputs, and compares the observable results with
/// those of its plain code:
///
///     PROGRAM plain INPUTS EXPECTED             writes the result of each input; for the plain
///     build PROGRAM vary EXPECTED SEED CONFIGURATIONS random configurations PROGRAM once EXPECTED
///     TRIAL [INPUT]       one trial of a file, for all inputs or one
///
/// Prints each trial before it runs, so that the trial is known if the process dies. Exits with 1
/// and a line `difference: ...` if something differs, with 2 if something cannot be done.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>

#include <sartor/sartor.hpp>

#include "../program.h"
#include "observed.h"
#include "settings.h"
#include "trial.h"

namespace {

/// Thrown at a difference between plain and specialized code.
struct Difference {
  std::string text;
};

class Comparison {
public:
  explicit Comparison(Expected expected) : expected_(std::move(expected)) {}

  void only(unsigned input) {
    for (unsigned other = 0; other < expected_.size(); ++other)
      if (other != input)
        expected_[other].reset();
  }

  void run_one(unsigned input, const char *where) const {
    if (!expected_[input])
      return;
    if (observe_run(input) != *expected_[input])
      throw Difference{std::string(where) + ", input " + std::to_string(input)};
  }
  void run_all(const char *where) {
    for (unsigned input = 0; input < expected_.size(); ++input) {
      run_one(input, where);
      cases_ += expected_[input] ? 1 : 0;
    }
  }
  /// Runs another input each time; not counted, because the number of runs depends on the machine.
  void run_next(const char *where) {
    run_one(next_, where);
    next_ = (next_ + 1) % static_cast<unsigned>(expected_.size());
  }

  [[nodiscard]] unsigned long cases() const { return cases_; }

private:
  Expected expected_;
  unsigned long cases_ = 0;
  unsigned next_ = 0;
};

void lead_calls_to(sartor::Runtime &runtime) {
  for (const ProgramHandler *handler = program_handlers; handler->name; ++handler)
    *handler->called = runtime.function(handler->name);
}

void check(sartor::Runtime &runtime, const Trial &trial, Comparison &comparison) {
  std::cout << "trial " << trial.json() << std::endl;
  const Active active(runtime, trial, [&] { comparison.run_next("while variants are made"); });
  comparison.run_all("active");
}

/// Checks a drawn trial; draws again, up to eight times, if it needs too many function bodies.
template <class Draw>
void vary(sartor::Runtime &runtime, const Draw &draw, Comparison &comparison) {
  for (int attempt = 0;; ++attempt) {
    try {
      return check(runtime, draw(), comparison);
    } catch (const sartor::Error &error) {
      if (error.code() != sartor::ErrorCode::too_many_bodies || attempt == 8)
        throw;
    }
  }
}

sartor::Options options(bool quick_tier, bool keeps_code) {
  // A loaded machine is no error, so the timeout is long.
  // Comparing calls would hide differences; SARTOR_VERIFY has precedence.
  sartor::Options options{.compile_timeout = std::chrono::minutes(10),
                          .quick_tier = quick_tier,
                          .verify = sartor::Verification::off()};
  if (!keeps_code)
    options.code_cache_bytes = 0;
  return options;
}

std::uint64_t guard_failures(const sartor::Runtime &runtime) {
  std::uint64_t sum = 0;
  for (const auto &[label, count] : runtime.statistics().guard_failures)
    sum += count;
  return sum;
}

void run_many(Comparison &comparison, std::uint64_t seed, unsigned configurations) {
  comparison.run_all("native code of handlers");
  std::mt19937_64 random(seed);
  const bool quick_tier = random() % 4 != 0, keeps_code = random() % 2 == 0;
  sartor::Runtime runtime(options(quick_tier, keeps_code));
  lead_calls_to(runtime);
  comparison.run_all("entry functions, generic");
  runtime.instrument(all_instrumented(runtime.space()));
  comparison.run_all("instrumented");
  const Settings settings(runtime.space(), runtime.profile());
  runtime.instrument({});
  for (const Trial &trial : Trial::asked_for(quick_tier, keeps_code))
    check(runtime, trial, comparison);
  for (unsigned i = 0; i < configurations; ++i)
    vary(
        runtime, [&] { return Trial::draw(settings, random, quick_tier, keeps_code); }, comparison);
  runtime.customize_pipeline({});
  runtime.instrument({});
  runtime.specialize({});
  comparison.run_all("generic again");
  const sartor::Statistics statistics = runtime.statistics();
  std::cout << "points " << runtime.space().points().size() << "\ncompiles " << statistics.compiles
            << "\nguard-failures " << guard_failures(runtime) << "\ncompared "
            << statistics.verified << '\n';
}

void run_once(Comparison &comparison, const std::string &file) {
  std::ifstream in(file);
  const Trial trial = Trial::from_json({std::istreambuf_iterator<char>(in), {}});
  sartor::Runtime runtime(options(trial.quick_tier, trial.keeps_code));
  lead_calls_to(runtime);
  // Fast paths use recorded values.
  runtime.instrument(all_instrumented(runtime.space()));
  comparison.run_all("instrumented");
  check(runtime, trial, comparison);
  runtime.specialize({});
  comparison.run_all("generic again");
  check(runtime, trial, comparison);
}

int run(std::span<char *> arguments) {
  const std::string mode = arguments.size() > 3 ? arguments[1] : "";
  auto number = [&](std::size_t index) { return std::strtoul(arguments[index], nullptr, 10); };
  if (mode == "plain") {
    write_expected(arguments[3], observe_inputs(static_cast<unsigned>(number(2))));
    return 0;
  }
  if ((mode != "vary" || arguments.size() != 5) && (mode != "once" || arguments.size() > 5)) {
    std::cerr << "usage: plain INPUTS EXPECTED | vary EXPECTED SEED CONFIGURATIONS | once EXPECTED "
                 "TRIAL [INPUT]\n";
    return 2;
  }
  Comparison comparison(read_expected(arguments[2]));
  if (mode == "vary") {
    run_many(comparison, number(3), static_cast<unsigned>(number(4)));
  } else {
    if (arguments.size() == 5)
      comparison.only(static_cast<unsigned>(number(4)));
    run_once(comparison, arguments[3]);
  }
  std::cout << "cases " << comparison.cases() << '\n';
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run({argv, static_cast<std::size_t>(argc)});
  } catch (const Difference &difference) {
    std::cout << "difference: " << difference.text << std::endl;
    return 1;
  } catch (const std::exception &error) {
    std::cout << "difference: refused: " << error.what() << std::endl;
    return 1;
  }
}
