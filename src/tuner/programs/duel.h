// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PROGRAMS_DUEL_H
#define SARTOR_TUNER_PROGRAMS_DUEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <sartor/strategy.hpp>

namespace sartor {

/// Decides whether a challenger does the same work faster than the active variant, by runs of both:
/// windows of the one next to windows of the other, in random order, compared in pairs. One may
/// look after each pair (PairedTest), so it ends as soon as the verdict is sure, either
/// way. A tie keeps the active variant. For use by one thread at a time; never waits, and reads no
/// clock.
class Duel {
public:
  enum class Side : unsigned char { active, challenger };
  enum class Verdict : unsigned char { open, faster, not_faster };

  /// `seed` determines the order.
  explicit Duel(std::uint64_t seed) : random_(seed) { begin_pair(); }

  /// The side that runs now, and the number of its window: runs that begin now belong to it.
  [[nodiscard]] Side turn() const { return first_done_ ? other(first_) : first_; }
  [[nodiscard]] std::uint64_t window() const { return window_; }

  /// Adds a run that began in this window, with its work and its time, in any unit, such as cycles.
  /// A run of a past window is ignored.
  void add(std::uint64_t window, std::uint64_t work, std::uint64_t time);

  [[nodiscard]] Verdict verdict() const { return verdict_; }
  /// How much more work the challenger does in the same time, as a share.
  [[nodiscard]] Estimate gain() const;

private:
  struct Window {
    double work = 0;
    double time = 0;
  };
  static Side other(Side side) { return side == Side::active ? Side::challenger : Side::active; }
  void begin_pair();
  void end_pair();
  void look();

  std::mt19937_64 random_;
  Side first_ = Side::active; ///< First side of the current pair.
  bool first_done_ = false;
  std::array<Window, 2> pair_; ///< By side.
  std::uint64_t window_ = 0;
  bool is_warm_ = false;             ///< The first pair is left out: it warms the caches.
  std::vector<double> advantages_{}; ///< By pair.
  std::size_t next_look_ = 4;
  Verdict verdict_ = Verdict::open;
};

} // namespace sartor

#endif
