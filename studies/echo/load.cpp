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
// Limits, in nanoseconds, for recognizing an interrupted poll and for the recovery after it; see
// Load. If all polls are slow, as under a sanitizer, the limit grows with them.
constexpr double longest_poll = 60'000;
constexpr double times_as_long = 10;
constexpr double polls_that_are_usual = 64;
constexpr std::int64_t recovery = 300'000;

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
    --waiting_;
    if (now_ < recovered_at_)
      return;
    latency_.record(std::chrono::nanoseconds(now_ - meant));
    answered_.fetch_add(1, std::memory_order_relaxed);
  });
  if (!is_right)
    throw std::runtime_error("a wrong answer on connection " + std::to_string(i));
  send_what_may(i);
}

void Load::go_on(std::int64_t nanoseconds) {
  now_ += nanoseconds;
  if (now_ >= recovered_at_)
    time_.fetch_add(nanoseconds, std::memory_order_relaxed);
}

void Load::poll() {
  echo_set_time(server_, static_cast<std::uint32_t>(now_ / 1'000'000));
  const auto began = Clock::now();
  poll_(server_);
  const auto took = static_cast<double>((Clock::now() - began).count());
  const double longest = std::max(longest_poll, times_as_long * usual_);
  usual_ += (std::min(took, longest) - usual_) / polls_that_are_usual;
  if (took > longest) {
    ++interrupted_;
    recovered_at_ = now_ + recovery;
  }
  go_on(std::llround(took > longest ? usual_ : took));
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
