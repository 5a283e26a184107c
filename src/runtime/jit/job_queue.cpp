// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/job_queue.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace sartor::runtime {

namespace {

constexpr unsigned kMostPassedOver = 8;
/// The number of jobs that cannot wait.
constexpr std::uint64_t kCannotWait = std::numeric_limits<std::uint64_t>::max();

} // namespace

void JobQueue::push(Job job, std::shared_ptr<CompileQueue::Client> client) {
  jobs_.push_back({std::move(job), std::move(client)});
}

JobQueue::Waiting JobQueue::pop() {
  const auto cannot_wait = [](const Waiting &one) { return one.job.request == kCannotWait; };
  if (const auto first = std::ranges::find_if(jobs_, cannot_wait); first != jobs_.end()) {
    Waiting found = std::move(*first);
    jobs_.erase(first);
    return found;
  }
  const auto is_binding = [](const Waiting &one) { return one.job.is_for_binding; };
  const auto passed_over = [](const Waiting &one) { return one.passed_over >= kMostPassedOver; };
  const bool bindings = std::ranges::any_of(jobs_, is_binding);
  const bool both = bindings && !std::ranges::all_of(jobs_, is_binding);
  was_binding_ = both ? !was_binding_ : bindings;
  const bool oldest_first = was_binding_ || std::ranges::any_of(jobs_, [&](const Waiting &one) {
                              return !is_binding(one) && passed_over(one);
                            });
  auto chosen = jobs_.end();
  for (auto one = jobs_.begin(); one != jobs_.end(); ++one)
    if (is_binding(*one) == was_binding_ &&
        (chosen == jobs_.end() || (one->job.request < chosen->job.request) == oldest_first))
      chosen = one;
  for (Waiting &one : jobs_)
    if (is_binding(one) == was_binding_ && one.job.request < chosen->job.request)
      ++one.passed_over;
  Waiting found = std::move(*chosen);
  jobs_.erase(chosen);
  return found;
}

std::vector<JobQueue::Waiting> JobQueue::take(const CompileQueue::Client *client) {
  std::vector<Waiting> taken;
  for (Waiting &one : jobs_)
    if (!client || one.client.get() == client)
      taken.push_back(std::move(one));
  std::erase_if(jobs_, [](const Waiting &one) { return !one.client; });
  return taken;
}

} // namespace sartor::runtime
