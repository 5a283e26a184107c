// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace sartor::echo {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t longest_poll = 60'000; // nanoseconds; see Load
constexpr int most_polls_to_connect = 100'000;

} // namespace

Load::Load(EchoServer *server, Poll poll, Cable &cable, std::size_t connections)
    : server_(server), poll_(std::move(poll)), peer_(cable, connections) {
  for (std::uint32_t i = 0; i < connections; ++i)
    clients_.emplace_back(i);
  peer_.introduce();
  std::size_t asked = 0;
  const auto is_open = [this](std::size_t i) { return peer_.state(i) == Peer::State::open; };
  for (int polls = 0; polls < most_polls_to_connect; ++polls) {
    for (int i = 0; i < 16 && asked < connections; ++i)
      peer_.open(asked++);
    this->poll();
    bool all = asked == connections;
    for (std::size_t i = 0; i < connections && all; ++i)
      all = is_open(i);
    if (all)
      break;
  }
  for (std::size_t i = 0; i < connections; ++i)
    if (!is_open(i))
      throw std::runtime_error("connection " + std::to_string(i) + " is not accepted");
  next_ = static_cast<double>(now_);
}

void Load::offer(double rate, std::size_t limit) {
  gap_ = 1e9 / rate;
  limit_ = limit;
}

void Load::arrive() {
  std::exponential_distribution<double> gaps(1);
  for (const auto now = static_cast<double>(now_); next_ <= now; next_ += gap_ * gaps(random_)) {
    const std::size_t i = random_() % clients_.size();
    if (waiting_ >= limit_ || clients_[i].is_full()) {
      ++turned_away_;
      continue;
    }
    clients_[i].mean(static_cast<std::int64_t>(next_));
    ++waiting_;
    send_what_may(i);
  }
}

void Load::send_what_may(std::size_t i) {
  for (Conversation &client = clients_[i]; client.may_send(); client.sent())
    if (!peer_.send(i, client.next())) {
      held_back_.push_back(static_cast<std::uint32_t>(i));
      return;
    }
}

void Load::take(std::size_t i, std::span<const std::uint8_t> data) {
  const bool is_right = clients_[i].take(data, [this](std::int64_t meant) {
    latency_.record(std::chrono::nanoseconds(now_ - meant));
    --waiting_;
    answered_.fetch_add(1, std::memory_order_relaxed);
  });
  if (!is_right)
    throw std::runtime_error("a wrong answer on connection " + std::to_string(i));
  send_what_may(i);
}

void Load::go_on(std::int64_t nanoseconds) {
  now_.store(now_.load(std::memory_order_relaxed) + nanoseconds, std::memory_order_relaxed);
}

void Load::poll() {
  echo_set_time(server_, static_cast<std::uint32_t>(now_ / 1'000'000));
  const auto began = Clock::now();
  poll_(server_);
  const std::int64_t took = (Clock::now() - began).count();
  if (took <= longest_poll)
    last_took_ = took;
  else
    ++interrupted_;
  go_on(last_took_);
  peer_.take([this](std::size_t client, auto data) { take(client, data); });
  for (const std::uint32_t client : std::exchange(held_back_, {}))
    send_what_may(client);
}

void Load::step() {
  arrive();
  if (waiting_ == 0)
    go_on(std::max<std::int64_t>(0, std::llround(next_) - now_));
  poll();
}

void Load::run(std::uint64_t answers) {
  for (const std::uint64_t end = answered() + answers; answered() < end;)
    step();
}

void Load::settle() {
  while (waiting_ > 0)
    poll();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    peer_.acknowledge(i);
    poll();
  }
  next_ = static_cast<double>(now_);
}

} // namespace sartor::echo
