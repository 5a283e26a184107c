// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_POOL_H
#define SARTOR_SERVER_POOL_H

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/worker.h"

namespace sartor::server {

/// Workers, and who waits for one. Clients come in turn, whatever each of them asks for: one that
/// asks for much waits for itself. On the loop's thread.
class Pool {
public:
  Pool(unsigned workers, const std::string &program, std::chrono::milliseconds patience);

  /// A worker for as long as this is there.
  class Turn {
  public:
    Turn(Pool &pool, Worker &worker) : pool_(&pool), worker_(&worker) {}
    Turn(Turn &&other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), worker_(other.worker_) {}
    Turn &operator=(Turn &&) = delete;
    ~Turn() {
      if (pool_)
        pool_->give_back(*worker_);
    }
    Worker *operator->() const { return worker_; }

  private:
    Pool *pool_;
    Worker *worker_;
  };

  /// Fails with server_refused where it is nobody's turn within that time.
  asio::awaitable<Result<Turn>> take(const std::string &client, const Question &question,
                                     std::chrono::milliseconds patience);

  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  [[nodiscard]] std::size_t working() const { return workers_.size() - idle_.size(); }
  [[nodiscard]] unsigned starts() const;

private:
  struct Waiter {
    Waiter(const asio::any_io_executor &executor, std::chrono::milliseconds patience)
        : timer(executor, patience) {}
    asio::steady_timer timer;
    Worker *given = nullptr;
  };
  struct Queue {
    std::string client;
    std::deque<std::shared_ptr<Waiter>> waiters;
  };

  void give_back(Worker &worker);

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker *> idle_;
  std::list<Queue> queues_; ///< Of those who wait; the next is the first.
  std::size_t waiting_ = 0;
};

} // namespace sartor::server

#endif
