// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIFFERENTIAL_TRIAL_H
#define SARTOR_TEST_DIFFERENTIAL_TRIAL_H

#include <map>
#include <random>
#include <string>
#include <vector>

#include <sartor/sartor.hpp>

#include "settings.h"

/// What the program runs under for a while. A value, which a file can hold.
struct Trial {
  sartor::Configuration configuration = {};
  std::map<std::string, unsigned> instrumented = {};
  std::string passes = {};     ///< Pipeline::passes
  std::vector<int> bound = {}; ///< Indices into program_bindings.
  bool promised = false;       ///< That program_tables do not change.
  bool meanwhile = false;      ///< The program runs while variants are made.
  bool quick_tier = true;      ///< Of the runtime: Options::quick_tier.
  bool keeps_code = true;      ///< Of the runtime: variants that are not in force stay in memory.

  /// Of the runtime that there is.
  static Trial draw(const Settings &settings, std::mt19937_64 &random, bool quick_tier,
                    bool keeps_code);
  /// Those of program_configurations.
  static std::vector<Trial> asked_for(bool quick_tier, bool keeps_code);
  /// One line.
  [[nodiscard]] std::string json() const;
  static Trial from_json(const std::string &text);
};

/// A trial in force, for as long as this lives. `run` is called again and again while variants are
/// made, if the trial says so. Throws sartor::Error.
class InForce {
public:
  template <class Run> InForce(sartor::Runtime &runtime, const Trial &trial, Run run) {
    prepare(runtime, trial);
    auto made = runtime.specialize_async(trial.configuration);
    while (trial.meanwhile && made.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      run();
    made.get();
    bind(runtime, trial);
  }
  ~InForce();
  InForce(const InForce &) = delete;
  InForce &operator=(const InForce &) = delete;

private:
  void prepare(sartor::Runtime &runtime, const Trial &trial);
  void bind(sartor::Runtime &runtime, const Trial &trial);

  sartor::Invariant promise_;
  std::vector<sartor::detail::Share> shares_;
};

#endif
