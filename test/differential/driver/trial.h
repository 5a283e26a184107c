// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIFFERENTIAL_TRIAL_H
#define SARTOR_TEST_DIFFERENTIAL_TRIAL_H

#include <map>
#include <random>
#include <string>
#include <vector>

#include <sartor/sartor.hpp>

#include "settings.h"

/// Everything that the program runs under during one trial. A value that can be stored in a file.
struct Trial {
  sartor::Configuration configuration = {};
  std::map<std::string, unsigned> instrumented = {};
  std::string passes = {};     ///< Pipeline::passes
  std::vector<int> bound = {}; ///< Indices into program_bindings.
  bool invariant = false;      ///< True if program_tables are declared invariant.
  bool meanwhile = false;      ///< True if the program runs while variants are made.
  bool quick_tier = true;      ///< Options::quick_tier of the runtime.
  bool keeps_code = true;      ///< True if the runtime keeps inactive variants in memory.

  /// Draws a trial for the given runtime.
  static Trial draw(const Settings &settings, std::mt19937_64 &random, bool quick_tier,
                    bool keeps_code);
  /// The trials of program_configurations.
  static std::vector<Trial> asked_for(bool quick_tier, bool keeps_code);
  /// Returns the trial as one line of JSON.
  [[nodiscard]] std::string json() const;
  static Trial from_json(const std::string &text);
};

/// Keeps a trial active during its lifetime. Calls `run` repeatedly while variants are made, if the
/// trial asks for it. Throws sartor::Error.
class Active {
public:
  template <class Run> Active(sartor::Runtime &runtime, const Trial &trial, Run run) {
    prepare(runtime, trial);
    auto made = runtime.specialize_async(trial.configuration);
    while (trial.meanwhile && made.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      run();
    made.get();
    bind(runtime, trial);
  }
  ~Active();
  Active(const Active &) = delete;
  Active &operator=(const Active &) = delete;

private:
  void prepare(sartor::Runtime &runtime, const Trial &trial);
  void bind(sartor::Runtime &runtime, const Trial &trial);

  sartor::Invariant invariant_;
  std::vector<sartor::detail::Share> shares_;
};

#endif
