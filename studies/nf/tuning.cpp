// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuning.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

namespace nf {

using namespace std::chrono_literals;

namespace {

/// Phases are distinguished by at least so many packets, in such a time, with such a share at one
/// port.
constexpr std::uint64_t kFewestPackets = 200;
constexpr auto kLook = 50ms;
constexpr double kMost = 0.8;
/// For each candidate: near the best, batch sizes differ by little for long.
constexpr std::size_t kMostSamples = 200;
/// A packet takes so little time that other load on the machine changes batches by as much as they
/// differ.
constexpr auto kConfirmFor = 5s;
/// The initial setting.
constexpr std::uint32_t kFirstBatch = 64;
/// Sampling periods of inputs while learning, and afterwards.
constexpr unsigned kLearnEvery = 16;
constexpr unsigned kWatchEvery = 1000;

sartor::Objective cost_per_packet(const Work &work) {
  return sartor::Objective::cost_per(
      [&work] { return static_cast<double>(work.nanoseconds.load(std::memory_order_relaxed)); },
      [&work] { return static_cast<double>(work.all_packets()); }, "time per packet", "ns");
}

std::string label_of(const Function &function, const char *point) {
  return std::string(function.name) + '.' + point;
}

} // namespace

const std::string &Phase::now() {
  const auto time = std::chrono::steady_clock::now();
  if (time - looked_ < kLook)
    return name_;
  std::array<std::uint64_t, nf_sides> packets;
  std::array<std::uint64_t, nf_sides> came;
  for (const NfSide side : {nf_external, nf_internal}) {
    packets[side] = work_.packets[side].load(std::memory_order_relaxed);
    came[side] = packets[side] - seen_[side];
  }
  const auto all = static_cast<double>(came[nf_external] + came[nf_internal]);
  if (all < static_cast<double>(kFewestPackets))
    return name_;
  looked_ = time;
  seen_ = packets;
  name_ = static_cast<double>(came[nf_external]) > kMost * all   ? "external"
          : static_cast<double>(came[nf_internal]) > kMost * all ? "internal"
                                                                 : "both";
  return name_;
}

std::vector<std::string> fast_paths(const sartor::Runtime &runtime, const Function &function) {
  std::vector<std::string> labels;
  const sartor::Space space = runtime.space();
  for (const sartor::Point &point : space.points())
    if (point.kind == sartor::PointKind::fast_path &&
        point.label.starts_with(label_of(function, "")))
      labels.push_back(point.label);
  return labels;
}

void instrument_fast_paths(sartor::Runtime &runtime, const Function &function, unsigned every) {
  std::map<std::string, unsigned> labels;
  if (every > 0)
    for (std::string &label : fast_paths(runtime, function))
      labels.emplace(std::move(label), every);
  runtime.instrument(labels);
}

std::vector<sartor::Configuration> candidates(const sartor::Runtime &runtime,
                                              const Function &function, const Choices &choices) {
  std::vector<std::string> answering;
  const sartor::Profile seen = runtime.profile();
  for (const std::string &label : fast_paths(runtime, function))
    if (const sartor::PointProfile *const point = seen.find(label); point && point->count > 0)
      answering.push_back(label);
  std::vector<sartor::Configuration> all;
  for (const std::uint32_t answers : choices.answers) {
    if (answers > 0 && answering.empty())
      continue;
    for (const std::uint32_t batch : choices.batches)
      for (const std::uint32_t ahead : choices.ahead)
        for (const std::uint32_t at_once : choices.at_once) {
          sartor::Configuration &one = all.emplace_back();
          one.set(label_of(function, "BATCH_SIZE"), sartor::unguarded(batch));
          one.set(label_of(function, "PREFETCH"), sartor::unguarded(ahead));
          one.set(label_of(function, "PROBE"), sartor::unguarded(at_once));
          if (answers > 0)
            for (const std::string &label : answering)
              one.set(label, answers);
        }
  }
  return all;
}

Tuning::Tuning(sartor::Runtime &runtime, const Function &function, const Work &work,
               TuningOptions options)
    : runtime_(runtime), function_(function), options_(std::move(options)), phase_(work),
      explorer_(runtime, cost_per_packet(work), explorer_options()),
      thread_([this](const std::stop_token &stop) { run(stop); }) {}

Tuning::~Tuning() {
  thread_.request_stop();
  thread_.join();
  explorer_.stop();
  instrument_fast_paths(runtime_, function_, 0);
}

std::size_t Tuning::explorations() const { return explorer_.explorations(); }
std::optional<sartor::Decision> Tuning::decision() const { return explorer_.decision(); }

sartor::ExplorerOptions Tuning::explorer_options() {
  sartor::ExplorerOptions options;
  for (const sartor::Point &point : runtime_.space().points())
    if (!point.label.starts_with(label_of(function_, "")))
      options.choices[point.label] = {}; // belongs to another function
  const Choices &choices = options_.choices;
  for (const auto &[point, values] :
       {std::pair("BATCH_SIZE", &choices.batches), std::pair("PREFETCH", &choices.ahead),
        std::pair("PROBE", &choices.at_once)}) {
    options.unguarded.insert(label_of(function_, point));
    options.choices[label_of(function_, point)].assign(values->begin(), values->end());
  }
  for (const std::string &label : fast_paths(runtime_, function_))
    for (const std::uint32_t answers : choices.answers)
      if (auto &values = options.choices[label]; answers > 0)
        values.emplace_back(answers);
  options.sample_time = 1ms;
  options.regression_budget = options_.regression_budget;
  options.most_samples = kMostSamples;
  options.confirm_for = kConfirmFor;
  options.signature = [this] { return phase_.now(); };
  options.strategy = [this](const sartor::SearchSpace &) {
    return sartor::race(candidates(runtime_, function_, options_.choices),
                        {.most_samples = kMostSamples});
  };
  return options;
}

void Tuning::run(const std::stop_token &stop) {
  const auto rest = [&stop](std::chrono::milliseconds time) {
    for (const auto end = std::chrono::steady_clock::now() + time;
         !stop.stop_requested() && std::chrono::steady_clock::now() < end;)
      std::this_thread::sleep_for(std::min(time, 10ms));
    return !stop.stop_requested();
  };
  try {
    while (phase_.now().empty())
      if (!rest(kLook))
        return;
    if (!fast_paths(runtime_, function_).empty()) {
      instrument_fast_paths(runtime_, function_, kLearnEvery);
      if (!rest(options_.learning))
        return;
      instrument_fast_paths(runtime_, function_, kWatchEvery);
    }
    Choices first = options_.choices; // preferred in ties
    first.batches = {kFirstBatch};
    first.answers = {0};
    runtime_.specialize(candidates(runtime_, function_, first).front());
    explorer_.start();
  } catch (const sartor::Error &error) {
    std::fprintf(stderr, "%s goes on as it is: %s\n", std::string(function_.name).c_str(),
                 error.what());
  }
}

} // namespace nf
