// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_POOL_H
#define SARTOR_REMOTE_SERVER_POOL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "remote/server/worker.h"

namespace sartor::server {

struct PoolOptions {
  unsigned workers = 1; ///< Questions at a time, and one more in the reserved worker.
  std::string program;  ///< sartor-compiler.
  bool may_be_weak = false;
  std::chrono::milliseconds patience{30'000}; ///< For one answer.
  /// How long a question may have the reserved worker while others wait for that.
  std::chrono::milliseconds share{5'000};
  /// How long a process is kept that has nothing to do.
  std::chrono::milliseconds idle{300'000};
};

/// Shares compilers among clients by the time that they take: a client that waits is next if it was
/// given the least (start-time fair queueing, Goyal et al. 1996). Besides `workers` there is a
/// reserved worker, for clients that have no other: where all workers have long questions, others'
/// are answered there, and a question that has it for longer than `share` is ended when another
/// client waits for it. Each client has processes of its own; some that are idle are kept, those
/// used last. On the loop's thread.
class Pool {
public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Loads LLVM before anybody asks.
  void warm_up() { compilers_.warm_up(); }

  /// What a client has been given.
  struct Account {
    double seconds = 0;          ///< Of compiles, in all.
    double finish = 0;           ///< The virtual time at which it has had its share.
    std::uint64_t questions = 0; ///< That were given a worker.
    unsigned working = 0;        ///< Of them, at the moment.
  };
  /// Of clients that have asked since the server started.
  [[nodiscard]] const std::map<std::string, Account> &accounts() const { return accounts_; }
  /// `on_event` is called on the loop's thread.
  void on_event(OnCompilerEvent on_event) { on_event_ = std::move(on_event); }

  /// A worker of the client's for as long as this is there.
  class Turn {
  public:
    Turn(Pool &pool, std::list<struct Running>::iterator running)
        : pool_(&pool), running_(running) {}
    Turn(Turn &&other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), running_(other.running_) {}
    Turn &operator=(Turn &&) = delete;
    ~Turn();
    Worker *operator->() const;

  private:
    Pool *pool_;
    std::list<struct Running>::iterator running_;
  };

  /// Fails with server_refused where there is none within that time.
  asio::awaitable<Result<Turn>> take(const std::string &client, const Question &question,
                                     std::chrono::milliseconds patience);
  /// Whether no client waits that was given less: a question that was lost may be asked again.
  [[nodiscard]] bool has_share(const std::string &client) const;

  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }
  [[nodiscard]] std::size_t working() const { return running_.size(); }
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  [[nodiscard]] unsigned starts() const { return compilers_.starts(); }

private:
  struct Waiter;
  struct Idle;
  using Waiters = std::list<std::shared_ptr<Waiter>>;

  [[nodiscard]] double tag_of(const std::string &client) const;
  Waiters::iterator next(bool only_without_worker);
  void dispatch();
  void give(Waiters::iterator waiter, bool is_reserved);
  std::unique_ptr<Worker> worker_for(const std::string &client, const Question &question);
  void give_back(std::list<struct Running>::iterator running);
  void forget_idle();
  void forget_idle_later(const asio::any_io_executor &executor);

  PoolOptions options_;
  OnCompilerEvent on_event_;
  Compilers compilers_;
  std::map<std::string, Account> accounts_;
  double now_ = 0; ///< Virtual time: where the question began that was given a worker last.
  Waiters waiters_;
  std::list<struct Running> running_;
  std::list<Idle> idle_; ///< Used last comes first.
  std::optional<asio::steady_timer> idle_timer_;
};

} // namespace sartor::server

#endif
