// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PARTS_PART_H
#define SARTOR_TUNER_PARTS_PART_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <sartor/explorer.hpp>

#include "tuner/measure/call_meter.h"
#include "tuner/parts/components.h"
#include "tuner/search/race.h"
#include "tuner/variants.h"

namespace sartor {

/// A component that is explored by the calls of its handlers, while the program goes on and others
/// are explored beside it: searched first where it is too large to be raced. It nominates, as all
/// strategies do. Where it has several handlers, what is compared is what their calls take all
/// together, as often as they are called. For use by one thread.
class Part {
public:
  /// `in_force` is what the handlers have in force. What it is made from must outlive it, but for
  /// the component.
  Part(Variants &variants, Component component, const Configuration &in_force,
       const ExplorerOptions &options, std::uint64_t seed);

  /// Goes on without waiting; true when it is done, and handlers are left alone again.
  bool look();

  /// The best, or what is in force where none is surely better. Once done.
  [[nodiscard]] const Configuration &best() const { return best_; }
  /// Why calls cannot tell which is best; empty if they could. Once done.
  [[nodiscard]] const std::string &problem() const { return problem_; }
  [[nodiscard]] const Component &component() const { return component_; }

private:
  enum class Step { asking, compiling, measuring, done };
  struct Timed {
    std::unique_ptr<CallMeter> meter;
    double often = 0; ///< Calls of it by calls of all; 0: not known yet.
  };

  void begin();
  bool ask();
  void prepare(const Configuration &configuration);
  bool compile();
  void refuse(const Configuration &configuration, const Error &error);
  bool measure();
  void tell(const Trial &trial);
  [[nodiscard]] bool is_late() const;
  [[nodiscard]] std::vector<Trial> results();
  void weigh();
  void next_strategy();
  void end_race();
  void end(std::string problem);
  [[nodiscard]] std::vector<Configuration> finalists() const;

  Variants &variants_;
  const Component component_;
  const ExplorerOptions &options_;
  const std::uint64_t seed_;
  const Configuration in_force_; ///< Of the component's points.

  Step step_ = Step::asking;
  std::vector<Timed> timed_; ///< By handler.
  std::unique_ptr<Strategy> search_;
  std::unique_ptr<Race> race_; ///< Null while it is searched.
  std::vector<Configuration> batch_;
  /// Of the batch: whether what it consists of has been compiled.
  std::vector<std::function<bool()>> compiles_;
  std::unordered_map<Configuration, bool> compiled_; ///< False: it cannot be had.
  std::unordered_map<Configuration, double> scores_; ///< Of the search.
  std::size_t told_ = 0;
  double seconds_ = 0; ///< Of measuring for this strategy.
  Configuration best_;
  std::string problem_;
};

} // namespace sartor

#endif
