// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequence.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include <sartor/sartor.hpp>

#include "clock.h"
#include "sender.h"
#include "sockets.h"

namespace sartor::send {

namespace {

constexpr std::size_t kSmall = 64;
constexpr std::size_t kSegment = 1460;

/// A host with two interfaces and a socket of each kind.
class Sequence {
public:
  Sequence(std::uint64_t seed, Way way)
      : randoms_{std::mt19937_64(seed), std::mt19937_64(seed + 1)} {
    send_stop_clock(1000);
    stack_start();
    wire_up(&wires_[0], "10.0.0.1", "255.255.255.0", "10.0.0.254", wire_collect);
    wire_up(&wires_[1], "10.0.1.1", "255.255.255.0", "10.0.1.254", wire_collect);
    peers_[0].answer();
    peers_[1].answer();
    for (std::uint8_t &byte : data_)
      byte = static_cast<std::uint8_t>(random());
    if (way == Way::specialized) {
      runtime_ = std::make_unique<Runtime>();
      route_ = std::make_unique<QuasiInvariant>(route_quasi_invariant());
    }
    open();
  }

  Outcome run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      step();
      take_frames();
    }
    return finish();
  }

  Outcome run_threads(std::size_t rounds) {
    constexpr int kInvalidations = 10;
    constexpr int kMostSends = 2000;
    std::atomic<int> invalidations_left = 0;
    std::jthread breaker([&](const std::stop_token &is_done) {
      while (!is_done.stop_requested()) {
        if (invalidations_left > 0) {
          take_turn(breaking);
          --invalidations_left;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
    for (std::size_t i = 0; i < rounds; ++i) {
      wait();
      invalidations_left = kInvalidations;
      for (int j = 0; invalidations_left > 0 && j < kMostSends; ++j) {
        take_turn(sending);
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
      while (invalidations_left > 0)
        std::this_thread::yield();
    }
    breaker.request_stop();
    breaker.join();
    return finish();
  }

  Outcome run_in_order(const std::vector<std::uint8_t> &order) {
    for (const std::uint8_t thread : order)
      take_turn(thread == sending ? sending : breaking);
    return finish();
  }

private:
  enum Socket : std::uint8_t { datagrams, stream };
  enum Thread : std::uint8_t { sending, breaking };

  // Steps are atomic, as calls of the stack are.
  void take_turn(Thread thread) {
    const WithinMonitor within;
    turn_ = thread;
    outcome_.order.push_back(thread);
    if (thread == sending)
      use();
    else
      change();
    take_frames();
  }

  Outcome finish() {
    turn_ = sending;
    close();
    take_frames();
    return std::move(outcome_);
  }

  std::uint64_t random() { return randoms_.at(turn_)(); }

  void open() {
    sockets_ = {open_datagrams(peers_[0], "10.0.0.2", 9), open_stream(peers_[0], "10.0.0.3", 9)};
    if (!runtime_)
      return;
    for (const Socket kind : {datagrams, stream})
      senders_[kind].emplace(*runtime_, sockets_[kind]).add(kind == datagrams ? kSmall : kSegment);
  }

  void close() {
    for (auto &sender : senders_) {
      if (sender) {
        outcome_.broken += sender->quasi_invariants().figures().invalidated;
        outcome_.refused += sender->quasi_invariants().figures().refused;
      }
      sender.reset();
    }
    for (const int socket : sockets_)
      note(lwip_close(socket));
    peers_[0].acknowledge(0xffff);
  }

  void step() {
    // Changes are rare, as in practice: each causes a compilation.
    switch (random() % 64) {
    case 0:
    case 1:
      return wait();
    case 2:
      close();
      return open();
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
      return change();
    default:
      return use();
    }
  }

  void change() {
    switch (random() % 5) {
    case 0:
      return note(redirect(sockets_[datagrams], random() % 2 == 0 ? "10.0.0.2" : "192.168.7.7",
                           random() % 2 == 0 ? 9 : 10));
    case 1:
      return change_option();
    case 2:
      return change_route();
    case 3:
      return peers_[0].move(static_cast<std::uint8_t>(2 + random() % 4));
    default:
      return change_segments();
    }
  }

  void use() {
    if (random() % 4 == 0)
      return acknowledge();
    return send(random() % 2 == 0 ? datagrams : stream);
  }

  void send(Socket kind) {
    const std::array sizes = {kSmall, kSegment, std::size_t{random() % 3000}};
    const std::size_t size = sizes[random() % sizes.size()];
    const std::uint8_t *data = data_.data() + random() % 8;
    ++outcome_.sent;
    errno = 0;
    if (senders_[kind])
      note((*senders_[kind])(data, size));
    else
      note(lwip_send(sockets_[kind], data, size, MSG_DONTWAIT));
    peers_[0].answer();
    peers_[1].answer();
  }

  void acknowledge() {
    constexpr std::array<std::uint16_t, 4> windows = {65535, 30000, 4000, 600};
    peers_[0].acknowledge(windows[random() % windows.size()]);
  }

  // Only after all data has been sent: lwIP cannot reduce the segment size while larger segments
  // wait.
  void change_segments() {
    constexpr std::array<std::uint16_t, 3> sizes = {1460, 1000, 536};
    for (unsigned i = 0; i < 64; ++i)
      peers_[0].acknowledge(65535);
    peers_[0].acknowledge(65535, sizes[random() % sizes.size()]);
  }

  // Options of a socket with quasi-invariants must not change, so they are not changed without them
  // either.
  void change_option() {
    const int socket = sockets_[random() % 2];
    if (!runtime_)
      return;
    int before = 0;
    socklen_t size = sizeof before;
    lwip_getsockopt(socket, IPPROTO_IP, IP_TTL, &before, &size);
    const int other = before + 1;
    lwip_setsockopt(socket, IPPROTO_IP, IP_TTL, &other, sizeof other);
    int after = 0;
    lwip_getsockopt(socket, IPPROTO_IP, IP_TTL, &after, &size);
    if (after == before)
      return;
    lwip_setsockopt(socket, IPPROTO_IP, IP_TTL, &before, sizeof before);
    ++outcome_.not_refused;
  }

  void change_route() {
    ip4_addr_t gateway;
    const WithinMonitor within;
    switch (random() % 3) {
    case 0:
      return netif_set_default(&wires_[random() % 2].netif);
    case 1:
      IP4_ADDR(&gateway, 10, 0, 0, static_cast<u8_t>(100 + random() % 3));
      return netif_set_gw(&wires_[0].netif, &gateway);
    default:
      return wire_set_mtu(&wires_[0], random() % 2 == 0 ? 1500 : 700);
    }
  }

  void wait() {
    bool hold = true;
    for (auto &sender : senders_)
      if (sender)
        hold = hold && route_->wait_until_valid(std::chrono::seconds(10)) && sender->wait();
    if (runtime_ && hold)
      ++outcome_.times_specialized;
  }

  void note(long result) {
    note_number(result);
    note_number(result < 0 ? errno : 0);
  }

  void note_number(long number) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      outcome_.seen.push_back(static_cast<std::uint8_t>(number >> shift));
  }

  void take_frames() {
    for (auto &sent : sent_) {
      note_number(static_cast<long>(sent.size()));
      for (const auto &frame : sent) {
        note_number(static_cast<long>(frame.size()));
        outcome_.seen.insert(outcome_.seen.end(), frame.begin(), frame.end());
      }
      sent.clear();
    }
  }

  std::array<std::mt19937_64, 2> randoms_; ///< One for each thread.
  Thread turn_ = sending;
  Outcome outcome_;
  std::array<std::uint8_t, 4096> data_{};
  std::array<std::vector<std::vector<std::uint8_t>>, 2> sent_;
  std::array<Wire, 2> wires_{};
  std::array<Peer, 2> peers_{Peer(wires_[0], &sent_[0]), Peer(wires_[1], &sent_[1])};
  std::array<int, 2> sockets_{};
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<QuasiInvariant> route_;
  std::array<std::optional<Sender>, 2> senders_;
};

// Never freed: lwIP's thread keeps running, and uses its interfaces.
Sequence &only(std::uint64_t seed, Way way) {
  static auto *sequence = new Sequence(seed, way);
  return *sequence;
}

} // namespace

Outcome run_sequence(std::uint64_t seed, std::size_t steps, Way way) {
  return only(seed, way).run(steps);
}

Outcome run_threads(std::uint64_t seed, std::size_t rounds) {
  return only(seed, Way::specialized).run_threads(rounds);
}

Outcome run_in_order(std::uint64_t seed, const std::vector<std::uint8_t> &order) {
  return only(seed, Way::generic).run_in_order(order);
}

} // namespace sartor::send
