// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/compile_queue.h"

#include <atomic>
#include <future>
#include <utility>

#include "runtime/jit/helper.h"
#include "runtime/jit/thread_pool.h"

namespace sartor::runtime {

std::uint64_t next_request() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

CompileQueue::CompileQueue(core::Tier tier, MakeWorker make_worker,
                           std::chrono::milliseconds timeout)
    : thread_pool_(ThreadPool::instance()), client_(std::make_shared<Client>()) {
  client_->tier = tier;
  client_->make_worker = std::move(make_worker);
  if (timeout > std::chrono::milliseconds(0) && timeout <= std::chrono::hours(24 * 365))
    client_->timeout = timeout;
}

CompileQueue::~CompileQueue() { close(); }

void CompileQueue::close() { thread_pool_.close(*client_); }

Result<void> CompileQueue::submit(Job job) { return thread_pool_.submit(client_, std::move(job)); }

Job::Outcome compile_now(CompileQueue &compile_queue, JobDescription description,
                         std::function<Job::Outcome(Worker &, const core::Deadline &)> work) {
  const auto promise = std::make_shared<std::promise<Job::Outcome>>();
  auto outcome = promise->get_future();
  const Helper helper;
  auto taken = compile_queue.submit(
      {.description = std::move(description),
       .request = ~0ULL,
       .begin = [] { return true; },
       .work = std::move(work),
       .done = [promise](Job::Outcome done) { promise->set_value(std::move(done)); }});
  if (!taken)
    return std::unexpected(std::move(taken.error()));
  return get_helping(outcome);
}

} // namespace sartor::runtime
