// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace sartor::server {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// Idle processes that are kept for each worker.
constexpr std::size_t kIdlePerWorker = 2;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

/// A question that is assigned to a worker.
struct Running {
  std::unique_ptr<Worker> worker;
  Clock::time_point begin;
  double start; ///< The start in virtual time.
  bool is_reserved;
  std::unique_ptr<asio::steady_timer> share; ///< The time limit for the reserved worker.
  bool is_ending = false;
};

struct Pool::Waiter {
  Waiter(const asio::any_io_executor &executor, std::chrono::milliseconds patience,
         const std::string &who, const Question &asked)
      : timer(executor, patience), client(who), question(asked) {}
  asio::steady_timer timer;
  const std::string &client;
  const Question &question;
  std::optional<std::list<Running>::iterator> given;
};

struct Pool::Idle {
  std::unique_ptr<Worker> worker;
  Clock::time_point since;
};

Pool::Pool(PoolOptions options)
    : options_(std::move(options)), compilers_(options_.program, options_.may_be_weak) {}

Pool::~Pool() = default;

Pool::Turn::~Turn() {
  if (pool_)
    pool_->release(running_);
}

Worker *Pool::Turn::operator->() const { return running_->worker.get(); }

asio::awaitable<Result<Pool::Turn>> Pool::take(const std::string &client, const Question &question,
                                               std::chrono::milliseconds patience) {
  forget_idle();
  if (!idle_timer_)
    forget_idle_later(co_await asio::this_coro::executor);
  const auto waiter =
      std::make_shared<Waiter>(co_await asio::this_coro::executor, patience, client, question);
  waiters_.push_back(waiter);
  dispatch();
  if (!waiter->given) {
    std::error_code error;
    co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
  if (waiter->given)
    co_return Turn(*this, *waiter->given);
  waiters_.remove(waiter);
  co_return std::unexpected(
      Failure{ErrorCode::server_refused, "the server",
              "is busy: no compiler was free for " + std::to_string(patience.count() / 1000) + " s",
              "the active variant stays; ask again, or give the server more --workers"});
}

// A client's running questions count with the time that they have used so far.
double Pool::tag_of(const std::string &client) const {
  const auto account = accounts_.find(client);
  double tag = account == accounts_.end() ? 0 : account->second.finish;
  for (const Running &running : running_)
    if (running.worker->client() == client)
      tag = std::max(tag, running.start) + seconds_since(running.begin);
  return std::max(tag, now_);
}

bool Pool::has_share(const std::string &client) const {
  const double tag = tag_of(client);
  return std::ranges::none_of(waiters_, [&](const auto &waiter) {
    return waiter->client != client && tag_of(waiter->client) < tag;
  });
}

Pool::Waiters::iterator Pool::next(bool only_without_worker) {
  auto next = waiters_.end();
  double least = 0;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end(); ++waiter) {
    const std::string &client = (*waiter)->client;
    if (only_without_worker && accounts_[client].working > 0)
      continue;
    const double tag = tag_of(client);
    if (next != waiters_.end() && tag >= least)
      continue; // of two with the same tag, the first is chosen
    next = waiter;
    least = tag;
  }
  return next;
}

void Pool::dispatch() {
  for (;;) {
    const auto reserved = std::ranges::find_if(running_, &Running::is_reserved);
    const bool is_reserved_free = reserved == running_.end();
    const std::size_t ordinary = running_.size() - (is_reserved_free ? 0 : 1);
    if (ordinary < options_.workers) {
      const auto waiter = next(/*only_without_worker=*/false);
      if (waiter == waiters_.end())
        return;
      give(waiter, /*is_reserved=*/false);
      continue;
    }
    const auto waiter = next(/*only_without_worker=*/true);
    if (waiter == waiters_.end())
      return;
    if (!is_reserved_free) {
      if (Clock::now() - reserved->begin >= options_.share && !reserved->is_ending) {
        reserved->is_ending = true;
        Worker &worker = *reserved->worker;
        const double took = seconds_since(reserved->begin);
        if (on_event_)
          on_event_({CompilerEvent::Kind::over_share, worker.client(), "others waited", took});
        worker.stop({ErrorCode::compile_timeout, "a compile",
                     "took more than its share: " + std::to_string(static_cast<int>(took)) +
                         " s of the reserved worker, while others waited",
                     "the active variant stays; ask for less, or give the server more --workers"});
      }
      return;
    }
    give(waiter, /*is_reserved=*/true);
  }
}

void Pool::give(Waiters::iterator waiter, bool is_reserved) {
  const std::shared_ptr<Waiter> chosen = std::move(*waiter);
  waiters_.erase(waiter);
  const double start = tag_of(chosen->client);
  now_ = std::max(now_, start);
  Account &account = accounts_[chosen->client];
  ++account.working;
  ++account.questions;
  running_.push_front(
      {worker_for(chosen->client, chosen->question), Clock::now(), start, is_reserved, nullptr});
  if (is_reserved) {
    running_.front().share =
        std::make_unique<asio::steady_timer>(chosen->timer.get_executor(), options_.share);
    running_.front().share->async_wait([this](std::error_code error) {
      if (!error)
        dispatch();
    });
  }
  chosen->given = running_.begin();
  chosen->timer.cancel();
}

// Prefers a process that has parsed the module; otherwise the last one used, whose memory may be in
// caches.
std::unique_ptr<Worker> Pool::worker_for(const std::string &client, const Question &question) {
  auto chosen = idle_.end();
  for (auto idle = idle_.begin(); idle != idle_.end(); ++idle) {
    if (idle->worker->client() != client)
      continue;
    if (chosen == idle_.end() || idle->worker->knows(question))
      chosen = idle;
    if (chosen->worker->knows(question))
      break;
  }
  if (chosen == idle_.end())
    return std::make_unique<Worker>(compilers_, client, options_.patience, on_event_);
  auto worker = std::move(chosen->worker);
  idle_.erase(chosen);
  return worker;
}

void Pool::release(std::list<Running>::iterator running) {
  const double took = seconds_since(running->begin);
  Account &account = accounts_[running->worker->client()];
  account.seconds += took;
  account.finish = std::max(account.finish, running->start) + took;
  --account.working;
  idle_.push_front({std::move(running->worker), Clock::now()});
  running_.erase(running);
  forget_idle();
  dispatch();
}

// Repeats while there are processes.
void Pool::forget_idle_later(const asio::any_io_executor &executor) {
  idle_timer_.emplace(executor, options_.idle);
  idle_timer_->async_wait([this, executor](std::error_code error) {
    if (error)
      return;
    forget_idle();
    if (idle_.empty() && running_.empty() && waiters_.empty())
      idle_timer_.reset();
    else
      forget_idle_later(executor);
  });
}

void Pool::forget_idle() {
  const auto now = Clock::now();
  while (!idle_.empty() && (idle_.size() > kIdlePerWorker * options_.workers ||
                            now - idle_.back().since >= options_.idle))
    idle_.pop_back();
}

} // namespace sartor::server
