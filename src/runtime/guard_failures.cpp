// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/guard_failures.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/probes.h"
#include "base/text/json.h"

namespace sartor {

namespace {

constexpr std::chrono::milliseconds kSamplePeriod{250};

} // namespace

GuardFailures::GuardFailures(std::shared_ptr<const core::HandlerModule> module,
                             std::shared_ptr<EventLog> events)
    : module_(std::move(module)), events_(std::move(events)),
      counters_(new std::uint64_t[module_->space.points().size()]()) {}

std::map<std::string, std::uint64_t> GuardFailures::by_label() const {
  std::map<std::string, std::uint64_t> failures;
  const auto &points = module_->space.points();
  for (std::size_t i = 0; i < points.size(); ++i)
    failures[points[i].label] =
        __atomic_load_n(&counters_[i], __ATOMIC_RELAXED); // NOLINT: JIT code writes it
  return failures;
}

// Without this thread the event log does not report guards: an error to be ignored, like a full
// disk.
void GuardFailures::start_sampling() {
  const base::MutexLock lock(mutex_);
  is_wanted_ = true;
  if (!events_ || sampler_.is_here())
    return;
  stop_ = {};
  if (auto thread =
          base::Thread::start("sartor-guards", [this, stop = stop_.get_token()] { sample(stop); }))
    sampler_ = std::move(*thread);
}

void GuardFailures::stop_sampling() {
  base::MutexLock lock(mutex_);
  is_wanted_ = false;
  stop_.request_stop();
  base::Thread sampler = std::move(sampler_);
  lock.unlock();
  sampler.join();
}

void GuardFailures::resume_in_child() {
  bool is_wanted = false;
  {
    const base::MutexLock lock(mutex_);
    is_wanted = is_wanted_;
  }
  if (is_wanted)
    start_sampling();
}

void GuardFailures::sample(const std::stop_token &stop) const {
  std::mutex mine; // no other thread takes it
  std::condition_variable_any wake;
  auto last = by_label();
  std::unique_lock lock(mine);
  while (!wake.wait_for(lock, stop, kSamplePeriod, [] { return false; }) &&
         !stop.stop_requested()) {
    auto now = by_label();
    if (now == last)
      continue;
    auto fresh = nlohmann::ordered_json::object();
    for (const auto &[label, count] : now)
      if (count != last[label]) {
        fresh[label] = count - last[label];
        SARTOR_PROBE(guard_failures, label.c_str(), count - last[label]);
      }
    events_->append("guards", {{"failures", std::move(fresh)}});
    last = std::move(now);
  }
}

} // namespace sartor
