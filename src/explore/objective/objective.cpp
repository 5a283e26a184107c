// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/objective.hpp>

#include <utility>

namespace sartor {

Objective Objective::rate_of(const std::atomic<std::uint64_t> &counter, std::string name,
                             std::string unit) {
  return {
      .read = [&counter] { return static_cast<double>(counter.load(std::memory_order_relaxed)); },
      .kind = Kind::counter,
      .direction = Direction::higher_is_better,
      .name = std::move(name),
      .unit = std::move(unit)};
}

Objective Objective::value_of(std::function<double()> function, Direction direction,
                              std::string name, std::string unit) {
  return {.read = std::move(function),
          .kind = Kind::gauge,
          .direction = direction,
          .name = std::move(name),
          .unit = std::move(unit)};
}

Objective Objective::cost_per(std::function<double()> cost, std::function<double()> per,
                              std::string name, std::string unit) {
  return {.read = std::move(cost),
          .kind = Kind::ratio,
          .direction = Direction::lower_is_better,
          .name = std::move(name),
          .unit = std::move(unit),
          .per = std::move(per)};
}

Objective Objective::cost_of_call(std::string handler) {
  std::string name = handler.empty() ? "cost of a call" : "cost of a call of " + handler;
  return {.read = {},
          .kind = Kind::call,
          .direction = Direction::lower_is_better,
          .name = std::move(name),
          .unit = "ticks",
          .handler = std::move(handler)};
}

} // namespace sartor
