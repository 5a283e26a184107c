// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_WATCH_REPLAY_H
#define SARTOR_BENCH_NOISE_WATCH_REPLAY_H

#include <cstddef>
#include <limits>
#include <optional>

#include "tuner/watch/drift.h"
#include "tuner/watch/mix.h"
#include "watched.h"

namespace sartor::bench {

/// A change that is put into a recording.
struct Change {
  std::size_t at = std::numeric_limits<std::size_t>::max(); ///< The first step that it is in.
  double ours = 1;                                          ///< What is in force costs as often.
  double rivals = 1;                                        ///< And so its rival.
  double other_kind = 0; ///< So large a share of requests is of the last kind instead.
};

/// A watch that begins at some step of a recording: the classes that an Explorer's watch is made
/// of, with its defaults.
class WatchReplay {
public:
  /// `watched` must outlive it.
  WatchReplay(const Watched &watched, std::size_t from, const Change &change);

  /// Goes on up to a step; the step at which the workload was found to have changed, if it was.
  std::optional<std::size_t> run(std::size_t end);
  [[nodiscard]] const Drift &drift() const { return drift_; }
  /// Of the alarm.
  [[nodiscard]] const char *because() const;
  [[nodiscard]] double seconds_in_rival() const;

private:
  bool end_window();
  [[nodiscard]] bool is_changed(std::size_t step) const { return step >= change_.at; }

  const Watched &watched_;
  const Change change_;
  std::size_t step_;
  std::size_t window_; ///< Whose end comes next.
  bool other_mix_ = false;
  Drift drift_{{}};
  Mix mix_;
};

} // namespace sartor::bench

#endif
