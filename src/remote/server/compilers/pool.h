// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_POOL_H
#define SARTOR_REMOTE_SERVER_COMPILERS_POOL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "remote/server/compilers/worker.h"

namespace sartor::server {

struct PoolOptions {
  unsigned workers = 1; ///< The number of concurrent questions, not counting the reserved worker.
  std::string program;  ///< The path of sartor-compiler.
  bool may_be_weak = false;
  std::chrono::milliseconds patience{30'000}; ///< The time limit for one answer.
  /// How long a question may use the reserved worker while others wait for it.
  std::chrono::milliseconds share{5'000};
  /// How long an idle process is kept.
  std::chrono::milliseconds idle{300'000};
};

/// Distributes compilers among clients by compile time: the waiting client that has used the least
/// is next (start-time fair queueing, Goyal et al. 1996). In addition to `workers` there is a
/// reserved worker, for clients that have no other: if all workers have long questions, it answers
/// those of others, and a question that uses it for longer than `share` is ended when another
/// client waits for it. Each client has processes of its own; some idle ones, the most recently
/// used, are kept. Used on the loop's thread.
class Pool {
public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Loads LLVM before the first question.
  void warm_up() { compilers_.warm_up(); }

  /// The use of the pool by a client.
  struct Account {
    double seconds = 0;          ///< The total compile time.
    double finish = 0;           ///< The virtual time at which it has had its share.
    std::uint64_t questions = 0; ///< The number of questions that were assigned a worker.
    unsigned working = 0;        ///< The number of questions that have one now.
  };
  /// The clients that have asked since the server started.
  [[nodiscard]] const std::map<std::string, Account> &accounts() const { return accounts_; }
  /// `on_event` is called on the loop's thread.
  void on_event(OnCompilerEvent on_event) { on_event_ = std::move(on_event); }

  /// A worker that belongs to the client while this exists.
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

  /// Fails with server_refused if no worker becomes free within that time.
  asio::awaitable<Result<Turn>> take(const std::string &client, const Question &question,
                                     std::chrono::milliseconds patience);
  /// True if no client waits that has used less: then a lost question may be asked again.
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
  void release(std::list<struct Running>::iterator running);
  void forget_idle();
  void forget_idle_later(const asio::any_io_executor &executor);

  PoolOptions options_;
  OnCompilerEvent on_event_;
  Compilers compilers_;
  std::map<std::string, Account> accounts_;
  double now_ = 0; ///< Virtual time: the start of the question that was last assigned a worker.
  Waiters waiters_;
  std::list<struct Running> running_;
  std::list<Idle> idle_; ///< The most recently used first.
  std::optional<asio::steady_timer> idle_timer_;
};

} // namespace sartor::server

#endif
