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

/// A component that is explored by the calls of its handlers, while the program goes on and other
/// components are explored at the same time. It is searched first if it is too large to be raced.
/// Its result is a nomination, as for all strategies. With several handlers, the cost of all their
/// calls is compared, weighted by how often they are called. For use by one thread.
class Part {
public:
  /// `active` is the active configuration. The arguments other than the component must outlive this
  /// object.
  Part(Variants &variants, Component component, const Configuration &active,
       const ExplorerOptions &options, std::uint64_t seed);

  /// Advances without waiting; true when it is done and handlers are left alone again.
  bool look();

  /// The best configuration, or the active one if none is surely better. Requires that it is done.
  [[nodiscard]] const Configuration &best() const { return best_; }
  /// Reason why calls could not decide; empty if they could. Requires that it is done.
  [[nodiscard]] const std::string &problem() const { return problem_; }
  [[nodiscard]] const Component &component() const { return component_; }

private:
  enum class Step { asking, compiling, measuring, done };
  struct Timed {
    std::unique_ptr<CallMeter> meter;
    double often = 0; ///< Its share of the calls of all handlers; 0: not known yet.
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
  const Configuration active_; ///< Active settings of the component's points.

  Step step_ = Step::asking;
  std::vector<Timed> timed_; ///< By handler.
  std::unique_ptr<Strategy> search_;
  std::unique_ptr<Race> race_; ///< Null while it is searched.
  std::vector<Configuration> batch_;
  /// For each configuration of the batch, returns true when it has been compiled.
  std::vector<std::function<bool()>> compiles_;
  std::unordered_map<Configuration, bool> compiled_; ///< False: compilation failed.
  std::unordered_map<Configuration, double> scores_; ///< Scores of the search.
  std::size_t reported_ = 0;
  double seconds_ = 0; ///< Seconds of measuring for the current strategy.
  Configuration best_;
  std::string problem_;
};

} // namespace sartor

#endif
