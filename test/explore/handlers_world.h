// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program of several handlers whose truth is known, in simulated time. One thread serves
/// requests, each of which calls every handler a given number of times. Entries rotate variants as
/// real entries do. Explorations of it are real.
#ifndef SARTOR_TEST_EXPLORE_HANDLERS_WORLD_H
#define SARTOR_TEST_EXPLORE_HANDLERS_WORLD_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <sartor/explorer.hpp>

#include "runtime/dispatch/rotation_block.h"
#include "tuner/measure/window_meter.h"
#include "tuner/parts/components.h"
#include "tuner/variants.h"

namespace sartor::worlds {

/// One of the program's handlers.
struct HandlerModel {
  std::string name;
  double calls = 1; ///< Calls per request; less than 1: not in each request.
  /// Mean nanoseconds of a call, without the handlers that it calls.
  std::function<double(const Configuration &)> cost;
  /// One call in `lumps` takes the time of all of them; the others take almost none.
  std::function<double(const Configuration &)> lumps = [](const auto &) { return 1.0; };
  std::string inner = {}; ///< Another handler that each call of it calls, by its entry.
};

class HandlersProgram final : public MeasuredProgram, public Variants {
public:
  HandlersProgram(std::vector<HandlerModel> handlers, std::uint64_t seed);
  ~HandlersProgram() override;
  HandlersProgram(const HandlersProgram &) = delete;
  HandlersProgram &operator=(const HandlersProgram &) = delete;

  double noise = 0.1; ///< Noise of each call, and of each millisecond of the machine.
  std::set<std::string> without_entry; ///< Handlers that cannot be timed.
  std::function<bool(const Configuration &)> can_be_compiled = [](const auto &) { return true; };
  std::function<void()> each_sample = [] {};

  /// Mean requests per second.
  [[nodiscard]] double truth(const Configuration &configuration) const;

  // MeasuredProgram
  void activate(const Configuration &configuration) override;
  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double hopeless_below,
                                             const std::stop_token &stop) override;
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token &stop) override;
  // Variants
  std::function<bool()> prepare(const Configuration &configuration) override;
  std::unique_ptr<CallRotation> rotate(const std::string &handler) override;
  [[nodiscard]] std::chrono::steady_clock::time_point compile_clock() const override {
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(time_stamp()));
  }
  void log(std::string_view event, std::string_view fields) override;

  /// Of the simulated processor: nanoseconds.
  [[nodiscard]] std::uint64_t time_stamp() const { return static_cast<std::uint64_t>(time_); }
  [[nodiscard]] const Configuration &active() const { return active_; }
  [[nodiscard]] double seconds() const { return time_ * 1e-9; }
  [[nodiscard]] bool is_rotating() const;
  std::vector<std::string> events;
  std::map<std::string, int> starts; ///< Number of rotations that were started, by handler.
  /// Ends a rotation, as the loss of an invariant does.
  void end_rotation(const std::string &handler);

private:
  class Entry;
  class Rotation;
  double call(Entry &entry);
  ObjectiveSample read(double at_least);

  std::vector<std::unique_ptr<Entry>> entries_;
  std::mt19937_64 random_;
  Configuration active_;
  double time_ = 0;    ///< Nanoseconds.
  double machine_ = 0; ///< Logarithm of the machine's current slowdown.
  double next_mood_ = 0;
};

/// Result of one exploration with the default options.
struct PartsOutcome {
  Decision decision;
  double lost = 0; ///< Share of work lost compared with the best known configuration.
};
std::optional<PartsOutcome> explore(HandlersProgram &program, const SearchSpace &space,
                                    const HandlersOfPoints &handlers, std::uint64_t seed,
                                    const ExplorerOptions &options = {},
                                    const std::stop_token &stop = {},
                                    const Configuration &active = {});

} // namespace sartor::worlds

#endif
