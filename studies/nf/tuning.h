// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_TUNING_H
#define SARTOR_STUDY_NF_TUNING_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "functions.h"
#include "work.h"

namespace nf {

/// What comes at present, by the ports that packets come by: "external", "internal" or "both";
/// empty while nothing has come yet.
class Phase {
public:
  explicit Phase(const Work &work) : work_(work) {}
  /// Looks at what has come since it last did. Ask one at a time.
  const std::string &now();

private:
  const Work &work_;
  std::string name_;
  std::array<std::uint64_t, nf_sides> seen_{};
  std::chrono::steady_clock::time_point looked_;
};

/// What a function's points may be set to. None is guarded: they change nothing but speed.
struct Choices {
  std::vector<std::uint32_t> batches{1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::vector<std::uint32_t> ahead{4};
  std::vector<std::uint32_t> at_once{8, 32};
  /// How many flows fast paths answer; 0: there are none.
  std::vector<std::uint32_t> answers{0, 64};
};

/// All that can be set so.
std::vector<sartor::Configuration> candidates(const sartor::Runtime &runtime,
                                              const Function &function, const Choices &choices);
/// Labels of the function's fast paths.
std::vector<std::string> fast_paths(const sartor::Runtime &runtime, const Function &function);
/// What is looked up, every so often; 0: not any more.
void instrument_fast_paths(sartor::Runtime &runtime, const Function &function, unsigned every);

struct TuningOptions {
  Choices choices = {};
  /// How long it is looked at what is looked up, before anything is tried.
  std::chrono::milliseconds learning{200};
  /// The share of packets that exploring may cost.
  double regression_budget = 0.05;
};

/// Fits a function to what comes, on a thread of its own: begins with what is good for most,
/// explores with time per packet as the objective when there are packets, and again when another
/// phase begins. What was best in a phase that comes again is in force at once.
class Tuning {
public:
  /// All must outlive this.
  Tuning(sartor::Runtime &runtime, const Function &function, const Work &work,
         TuningOptions options = {});
  /// Stops; what was decided stays in force.
  ~Tuning();
  Tuning(const Tuning &) = delete;
  Tuning &operator=(const Tuning &) = delete;

  /// How many explorations have been completed, and what the last one decided.
  [[nodiscard]] std::size_t explorations() const;
  [[nodiscard]] std::optional<sartor::Decision> decision() const;

private:
  sartor::ExplorerOptions explorer_options();
  void run(const std::stop_token &stop);

  sartor::Runtime &runtime_;
  const Function &function_;
  TuningOptions options_;
  Phase phase_;
  sartor::Explorer explorer_;
  std::jthread thread_;
};

} // namespace nf

#endif
