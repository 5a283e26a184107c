// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/pool.h"

#include <algorithm>
#include <system_error>

namespace sartor::server {

Pool::Pool(unsigned workers, const std::string &program, std::chrono::milliseconds patience) {
  for (unsigned i = 0; i < workers; ++i)
    idle_.push_back(workers_.emplace_back(std::make_unique<Worker>(program, patience)).get());
}

unsigned Pool::starts() const {
  unsigned all = 0;
  for (const auto &worker : workers_)
    all += worker->starts();
  return all;
}

asio::awaitable<Result<Pool::Turn>> Pool::take(const std::string &client, const Question &question,
                                               std::chrono::milliseconds patience) {
  if (!idle_.empty()) {
    // Who knows the module already; else who was last at work, which may have its memory at hand.
    auto chosen =
        std::ranges::find_if(idle_, [&](const Worker *worker) { return worker->knows(question); });
    if (chosen == idle_.end())
      chosen = idle_.end() - 1;
    Worker &worker = **chosen;
    idle_.erase(chosen);
    co_return Turn(*this, worker);
  }
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor, patience);
  auto queue = std::ranges::find(queues_, client, &Queue::client);
  if (queue == queues_.end())
    queue = queues_.insert(queues_.end(), {client, {}});
  queue->waiters.push_back(waiter);
  ++waiting_;
  std::error_code error;
  co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  --waiting_;
  if (waiter->given)
    co_return Turn(*this, *waiter->given);
  queue = std::ranges::find(queues_, client, &Queue::client);
  std::erase(queue->waiters, waiter);
  if (queue->waiters.empty())
    queues_.erase(queue);
  co_return std::unexpected(
      Failure{ErrorCode::server_refused, "the server",
              "is busy: it was nobody's turn for " + std::to_string(patience.count() / 1000) + " s",
              "what is in force stays; ask again, or give the server more --workers"});
}

void Pool::give_back(Worker &worker) {
  if (queues_.empty()) {
    idle_.push_back(&worker);
    return;
  }
  const std::shared_ptr<Waiter> next = queues_.front().waiters.front();
  queues_.front().waiters.pop_front();
  // Whoever waits for more comes after all others.
  if (queues_.front().waiters.empty())
    queues_.pop_front();
  else
    queues_.splice(queues_.end(), queues_, queues_.begin());
  next->given = &worker;
  next->timer.cancel();
}

} // namespace sartor::server
