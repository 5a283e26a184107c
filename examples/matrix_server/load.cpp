// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <system_error>

#include "asio.h"
#include "protocol.h"
#include <asio/experimental/awaitable_operators.hpp>

namespace matmul {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using namespace asio::experimental::awaitable_operators;

namespace {

/// One connection's share of a phase.
class Client {
public:
  Client(tcp::socket &socket, const Phase &phase, Clock::time_point end,
         const volatile std::sig_atomic_t &interrupted, PhaseTotals &totals,
         std::vector<double> &latencies)
      : socket_(socket), phase_(phase), end_(end), interrupted_(interrupted), totals_(totals),
        latencies_(latencies), product_(phase.n * phase.n) {}

  /// Keeps two requests in flight: while one product is awaited, the next request is sent.
  asio::awaitable<void> run() {
    co_await send(0);
    std::uint64_t id = 0;
    for (; Clock::now() < end_ && !interrupted_; ++id)
      co_await (receive(id) && send(id + 1));
    co_await receive(id);
  }

private:
  const Pair &pair(std::uint64_t id) const { return phase_.pairs[id % phase_.pairs.size()]; }

  asio::awaitable<void> send(std::uint64_t id) {
    request_ = {.n = static_cast<std::uint32_t>(phase_.n), .id = id};
    sent_at_[id % 2] = Clock::now();
    co_await asio::async_write(socket_,
                               std::array{asio::const_buffer(&request_, sizeof request_),
                                          asio::const_buffer(asio::buffer(pair(id).a)),
                                          asio::const_buffer(asio::buffer(pair(id).b))},
                               asio::use_awaitable);
  }

  asio::awaitable<void> receive(std::uint64_t id) {
    Header header;
    co_await asio::async_read(socket_, asio::buffer(&header, sizeof header), asio::use_awaitable);
    if (header.magic != Header::expected_magic || header.n != phase_.n || header.id != id)
      throw std::runtime_error("the server did not answer request " + std::to_string(id) +
                               " of size " + std::to_string(phase_.n) + " as agreed");
    co_await asio::async_read(socket_, asio::buffer(product_), asio::use_awaitable);
    latencies_.push_back(std::chrono::duration<double>(Clock::now() - sent_at_[id % 2]).count());
    ++totals_.requests;
    if (const Matrix &expected = pair(id).product; !expected.empty()) {
      ++totals_.checked;
      totals_.wrong += product_ != expected;
    }
  }

  tcp::socket &socket_;
  const Phase &phase_;
  Clock::time_point end_;
  const volatile std::sig_atomic_t &interrupted_;
  PhaseTotals &totals_;
  std::vector<double> &latencies_;
  Matrix product_;
  Header request_;
  std::array<Clock::time_point, 2> sent_at_;
};

double quantile(std::vector<double> &numbers, double share) {
  if (numbers.empty())
    return 0;
  const auto at = numbers.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1));
  std::nth_element(numbers.begin(), at, numbers.end());
  return *at;
}

PhaseTotals run_phase(asio::io_context &io, std::vector<tcp::socket> &sockets, const Phase &phase,
                      const volatile std::sig_atomic_t &interrupted) {
  PhaseTotals totals{.n = phase.n};
  std::vector<double> latencies;
  std::exception_ptr failure;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(phase.length);

  std::vector<std::unique_ptr<Client>> clients;
  for (tcp::socket &socket : sockets) {
    clients.push_back(std::make_unique<Client>(socket, phase, end, interrupted, totals, latencies));
    asio::co_spawn(io, clients.back()->run(), [&](std::exception_ptr error) {
      if (error) {
        failure = error;
        io.stop();
      }
    });
  }
  io.restart();
  io.run();
  if (failure)
    std::rethrow_exception(failure);

  totals.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  totals.median_latency = quantile(latencies, 0.5);
  totals.p99_latency = quantile(latencies, 0.99);
  return totals;
}

} // namespace

std::vector<Pair> make_pairs(std::uint64_t n, bool check_all) {
  // Enough distinct pairs, but few enough for the memory: about 32 MB for each size.
  const std::uint64_t count = std::clamp<std::uint64_t>((2 << 20) / (n * n), 2, 8);
  std::mt19937_64 random(n);
  std::vector<Pair> pairs(count);
  for (Pair &pair : pairs) {
    auto &[a, b, product] = pair;
    a.resize(n * n);
    b.resize(n * n);
    std::generate(a.begin(), a.end(), std::ref(random));
    std::generate(b.begin(), b.end(), std::ref(random));
    if (check_all || &pair == &pairs.front())
      product = reference_product(a, b, n);
  }
  return pairs;
}

std::vector<PhaseTotals> run_load(std::uint16_t port, unsigned connections,
                                  const std::vector<Phase> &phases,
                                  const volatile std::sig_atomic_t &interrupted) {
  std::vector<PhaseTotals> totals;
  asio::io_context io(1);
  std::vector<tcp::socket> sockets;
  for (unsigned i = 0; i < connections; ++i) {
    std::error_code error;
    (void)sockets.emplace_back(io).connect({asio::ip::address_v4::loopback(), port}, error);
    if (error)
      throw std::system_error(error,
                              "cannot connect to port " + std::to_string(port) + " of 127.0.0.1");
    sockets.back().set_option(tcp::no_delay(true));
  }
  for (const Phase &phase : phases)
    if (!interrupted)
      totals.push_back(run_phase(io, sockets, phase, interrupted));
  return totals;
}

} // namespace matmul
