// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers_world.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/exploration.h"

namespace sartor::worlds {

namespace {
constexpr double step = 2e6;   // nanoseconds
constexpr double mood = 1e6;   // duration of one state of the machine
constexpr double cheap = 0.01; // share of a usual call's time that a call without a lump takes
} // namespace

class HandlersProgram::Entry {
public:
  Entry(HandlerModel of, std::uint16_t number)
      : model(std::move(of)), block(std::make_unique<runtime::RotationBlock>(number, 0)) {}

  void start(const Configuration &active, std::span<const Configuration> others, double budget,
             std::uint64_t number, std::uint64_t now) {
    lanes.assign(1, active);
    lanes.insert(lanes.end(), others.begin(), others.end());
    plan = std::make_unique<runtime::RotationPlan>(number, lanes.size(), budget);
    for (std::size_t i = 0; i < lanes.size(); ++i)
      plan->lanes[i].code = &lanes[i];
    block->enter(*plan, now);
  }
  [[nodiscard]] const Configuration &in_turn() const {
    return *static_cast<const Configuration *>(block->code);
  }

  const HandlerModel model;
  Entry *inner = nullptr;
  double owed = 0; ///< Fraction of calls still to be made.
  std::vector<Configuration> lanes;
  std::unique_ptr<runtime::RotationPlan> plan; ///< Null: not rotating.
  std::unique_ptr<runtime::RotationBlock> block;
};

class HandlersProgram::Rotation final : public CallRotation {
public:
  Rotation(HandlersProgram &program, Entry &entry) : program_(program), entry_(entry) {}
  ~Rotation() override { stop(); }
  Rotation(const Rotation &) = delete;
  Rotation &operator=(const Rotation &) = delete;

  void activate(const Configuration &configuration) override { program_.activate(configuration); }
  Result<Started> start(std::span<const Configuration> others, double budget) override {
    static std::uint64_t last = runtime::RotationBlock::kIdle;
    ++program_.starts[entry_.model.name];
    entry_.start(program_.active_, others, budget, plan_ = ++last, program_.time_stamp());
    return Started{.plan = plan_, .failures = std::vector<std::optional<Failure>>(others.size())};
  }
  void stop() override { entry_.plan.reset(); }
  void set_out(std::size_t lane, bool is_out) override {
    if (entry_.plan && lane != 0)
      entry_.plan->lanes[lane].out = is_out;
  }
  bool take(std::vector<runtime::RotationSample> &samples) override {
    runtime::RotationSample sample{};
    while (entry_.block->take(sample))
      samples.push_back(sample);
    return entry_.plan && entry_.plan->number == plan_;
  }
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override {
    return program_.compile_clock();
  }
  void wait(std::chrono::nanoseconds for_so_long) override {
    program_.read(static_cast<double>(for_so_long.count()));
  }
  [[nodiscard]] std::string handler() const override { return entry_.model.name; }
  void log(std::string_view event, std::string_view fields) override {
    program_.log(event, fields);
  }

private:
  HandlersProgram &program_;
  Entry &entry_;
  std::uint64_t plan_ = 0;
};

HandlersProgram::HandlersProgram(std::vector<HandlerModel> handlers, std::uint64_t seed)
    : random_(seed) {
  for (HandlerModel &handler : handlers)
    entries_.push_back(
        std::make_unique<Entry>(std::move(handler), static_cast<std::uint16_t>(entries_.size())));
  for (const auto &entry : entries_)
    for (const auto &other : entries_)
      if (entry->model.inner == other->model.name)
        entry->inner = other.get();
}

HandlersProgram::~HandlersProgram() = default;

double HandlersProgram::truth(const Configuration &configuration) const {
  double nanoseconds = 0;
  for (const auto &entry : entries_)
    for (const Entry *each = entry.get(); each; each = each->inner)
      nanoseconds += entry->model.calls * each->model.cost(configuration);
  return 1e9 / nanoseconds;
}

bool HandlersProgram::is_rotating() const {
  return std::ranges::any_of(entries_, [](const auto &entry) { return entry->plan != nullptr; });
}

void HandlersProgram::end_rotation(const std::string &handler) {
  for (const auto &entry : entries_)
    if (entry->model.name == handler)
      entry->plan.reset();
}

void HandlersProgram::activate(const Configuration &configuration) { active_ = configuration; }

/// Makes one call; returns the time it takes.
double HandlersProgram::call(Entry &entry) {
  const bool is_rotated = entry.plan != nullptr;
  const Configuration &configuration = is_rotated ? entry.in_turn() : active_;
  const auto uniform = [&] { return std::uniform_real_distribution<double>()(random_); };
  const double lumps = entry.model.lumps(configuration);
  double took = entry.model.cost(configuration) * std::exp(machine_);
  took *= 1 + noise * (2 * uniform() - 1);
  if (lumps > 1) // keeps the mean
    took *= uniform() < 1 / lumps ? lumps - cheap * (lumps - 1) : cheap;
  time_ += took;
  if (entry.inner)
    took += call(*entry.inner);
  if (!is_rotated || !entry.plan)
    return took;
  runtime::RotationBlock &block = *entry.block;
  block.ticks += static_cast<std::uint64_t>(took);
  if (--block.left <= 0 || block.ticks >= block.most_ticks)
    block.next(*entry.plan, time_stamp());
  return took;
}

ObjectiveSample HandlersProgram::read(double at_least) {
  const double began = time_;
  double requests = 0;
  while (time_ < began + at_least) {
    if (time_ >= next_mood_) {
      machine_ = 0.7 * machine_ + noise * std::normal_distribution<double>()(random_);
      next_mood_ = time_ + mood;
    }
    for (const auto &entry : entries_)
      for (entry->owed += entry->model.calls; entry->owed >= 1; --entry->owed)
        call(*entry);
    ++requests;
  }
  const double took = (time_ - began) * 1e-9;
  return {requests / took, took, requests / took, took};
}

std::optional<ObjectiveSample> HandlersProgram::read_sample(std::chrono::nanoseconds at_least,
                                                            double /*hopeless_below*/,
                                                            const std::stop_token &stop) {
  each_sample();
  if (stop.stop_requested())
    return std::nullopt;
  return read(std::max(static_cast<double>(at_least.count()), step));
}

std::optional<ObjectiveSample> HandlersProgram::rest(std::chrono::nanoseconds long_enough,
                                                     const std::stop_token &stop) {
  if (stop.stop_requested())
    return std::nullopt;
  return read(static_cast<double>(long_enough.count()));
}

std::function<bool()> HandlersProgram::prepare(const Configuration &configuration) {
  if (can_be_compiled(configuration))
    return [left = 2]() mutable { return left-- == 0; };
  return [configuration]() -> bool {
    throw Error({ErrorCode::compile_failed, configuration.text(), "cannot be had", "do without"});
  };
}

std::unique_ptr<CallRotation> HandlersProgram::rotate(const std::string &handler) {
  for (const auto &entry : entries_)
    if (entry->model.name == handler && !without_entry.contains(handler))
      return std::make_unique<Rotation>(*this, *entry);
  throw Error({ErrorCode::point_not_specializable, handler, "cannot be timed", "do without"});
}

void HandlersProgram::log(std::string_view event, std::string_view fields) {
  events.push_back(std::string(event) + " " + std::string(fields));
}

std::optional<PartsOutcome> explore(HandlersProgram &program, const SearchSpace &space,
                                    const HandlersOfPoints &handlers, std::uint64_t seed,
                                    const ExplorerOptions &options, const std::stop_token &stop,
                                    const Configuration &active) {
  program.activate(active);
  WindowMeter meter(program, {options.regression_budget, options.error_probability, seed});
  const Objective objective{.read = [] { return 0; }};
  Exploration exploration(program, meter, objective, options, space,
                          {.incumbent = active, .seed = seed, .handlers = handlers});
  auto decision = exploration.run(stop);
  if (!decision)
    return std::nullopt;
  return PartsOutcome{std::move(*decision), meter.budget().lost() / meter.budget().seconds()};
}

} // namespace sartor::worlds
