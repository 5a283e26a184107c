// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_STORY_H
#define MATMUL_STORY_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matmul {

/// What the server does with requests of one size. Times are seconds of the event log's clock.
struct StoryPhase {
  std::uint64_t n;
  double begin;
  std::optional<double> end; ///< Nothing while it lasts.
};

/// A reading of the server's counters.
struct Sample {
  double time;
  double rate;         ///< Multiply-adds per second since the sample before.
  std::uint64_t madds; ///< Since the start, as the two below.
  std::uint64_t requests;
  std::uint64_t guard_failures;
  std::string variant; ///< The configuration in force.
  bool exploring;      ///< Whether it was in force for a trial only.
};

/// One window of the explorer's.
struct StoryTrial {
  double time; ///< Of its end.
  double seconds;
  double score;
  std::string variant;
};

/// What an exploration settled on.
struct StoryDecision {
  double time;
  double began; ///< When the exploration did.
  double mean;
  double low;
  double high;
  std::uint64_t windows;
  std::string variant;
};

/// What an event log tells, in order of time.
class Story {
public:
  /// The log need not exist yet.
  explicit Story(std::filesystem::path log) : log_(std::move(log)) {}

  /// Takes in what was written since the last time. Lines that make no sense are skipped.
  void read_on();

  /// When the first phase began: the zero of the times that are shown.
  [[nodiscard]] double origin() const { return phases.empty() ? 0 : phases.front().begin; }

  std::vector<StoryPhase> phases;
  std::vector<Sample> samples;
  std::vector<StoryTrial> trials;
  std::vector<StoryDecision> decisions;
  bool exploring = false;
  std::deque<std::string> recent; ///< The last events worth a line, as a person reads them.

private:
  void add(std::string_view line);

  std::filesystem::path log_;
  std::ifstream file_;
  std::string unfinished_; ///< A line of which the end has not been written yet.
  double exploration_began_ = 0;
};

/// `{B=8!,N=256}` as it is shown: here, that B has no guard goes without saying.
std::string without_marks(std::string variant);

} // namespace matmul

#endif
