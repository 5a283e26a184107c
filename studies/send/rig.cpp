// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rig.h"

#include <fstream>
#include <stdexcept>
#include <thread>

#include <nlohmann/json.hpp>

#include "clock.h"
#include "sockets.h"

namespace sartor::send {

namespace {

/// Code size of the last compilation.
std::size_t last_code_bytes(const std::filesystem::path &log) {
  std::ifstream lines(log);
  std::size_t bytes = 0;
  for (std::string line; std::getline(lines, line);)
    if (const auto event = nlohmann::json::parse(line); event.value("event", "") == "compile")
      bytes = event.value("code_bytes", std::size_t{0});
  return bytes;
}

Options logging(const std::filesystem::path &log) {
  std::filesystem::remove(log);
  Options options;
  options.event_log = log;
  return options;
}

} // namespace

Rig::Rig(const std::filesystem::path &folder, const std::vector<std::size_t> &datagram_sizes)
    : log_(folder / "send_events.jsonl"), runtime_(std::make_unique<Runtime>(logging(log_))) {
  const Ends ends = begin_measuring(wire_, peer_, datagram_sizes.size());
  route_ = std::make_unique<QuasiInvariant>(route_quasi_invariant());
  for (std::size_t i = 0; i < datagram_sizes.size(); ++i)
    add("udp" + std::to_string(datagram_sizes[i]), ends.datagrams[i], datagram_sizes[i]);
  add("tcp", ends.stream, data_.size());
}

void Rig::add(const std::string &name, int socket, std::size_t size) {
  senders_.push_back(std::make_unique<Sender>(*runtime_, socket));
  sockets_.push_back(socket);
  const Sender &sender = *senders_.back();
  const auto check = [size](ssize_t sent) {
    if (sent != static_cast<ssize_t>(size))
      throw std::runtime_error("a message was not sent");
  };
  Path path{name, size, {}, {}, [] {}};
  path.generic = [this, socket, size, check] {
    for (std::size_t i = 0; i < messages; ++i) {
      const WithinMonitor within;
      check(lwip_send(socket, data_.data(), size, MSG_DONTWAIT));
    }
  };
  path.specialized = [this, &sender, size, check] {
    for (std::size_t i = 0; i < messages; ++i)
      check(sender(data_.data(), size));
  };
  if (name == "tcp")
    path.prepare = [this, socket] {
      peer_.expect(next_sequence(socket));
      peer_.acknowledge(0xffff);
    };
  // Lets the window grow completely, as in the middle of a stream.
  for (unsigned i = 0; i < 200; ++i) {
    path.generic();
    path.prepare();
  }
  // Waits for all quasi-invariants, so that no code is made without some of them.
  Sender &own = *senders_.back();
  if (!route_->wait_until_valid(std::chrono::seconds(10)) || !own.wait())
    throw std::runtime_error("the facts do not hold");
  own.add(size);
  own.wait();
  if (!own.quasi_invariants().figures().watched)
    throw std::runtime_error("not all that facts are about is guarded");
  path.specialized_bytes = last_code_bytes(log_);
  paths_.push_back(std::move(path));
}

Disturbance Rig::disturb(const std::string &what, Sender &sender,
                         const std::function<void()> &how) {
  using Clock = std::chrono::steady_clock;
  // Quasi-invariants that flap are suspended for longer and longer.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const QuasiInvariantFigures before = sender.quasi_invariants().figures();
  const QuasiInvariantFigures route_before = route_->figures();
  how();
  const auto begin = Clock::now();
  if (!route_->wait_until_valid(std::chrono::seconds(10)) || !sender.wait())
    throw std::runtime_error("after " + what + ", facts do not hold again");
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  const QuasiInvariantFigures after = sender.quasi_invariants().figures();
  const QuasiInvariantFigures route = route_->figures();
  const auto waited =
      static_cast<double>(after.invalidation_nanoseconds - before.invalidation_nanoseconds +
                          route.invalidation_nanoseconds - route_before.invalidation_nanoseconds);
  return {what,
          after.invalidated - before.invalidated + route.invalidated - route_before.invalidated,
          after.refused - before.refused, waited / 1000, took.count()};
}

std::vector<Disturbance> Rig::disturb() {
  Sender &stream = *senders_.back();
  Sender &datagrams = *senders_[senders_.size() - 2];
  const int socket = sockets_[sockets_.size() - 2];
  const auto set_gateway = [this](u8_t last) {
    ip4_addr_t gateway;
    IP4_ADDR(&gateway, 10, 0, 0, last);
    const WithinMonitor within;
    netif_set_gw(&wire_.netif, &gateway);
  };
  const int ttl = 9;
  return {disturb("an option set (TTL)", datagrams,
                  [&] { lwip_setsockopt(socket, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl); }),
          disturb("connected to another host", datagrams,
                  [&] { redirect(socket, "10.0.0.3", kDiscard); }),
          disturb("another gateway", datagrams, [&] { set_gateway(253); }),
          disturb("an acknowledgement with another largest segment", stream,
                  [&] { peer_.acknowledge(0xffff, 1200); })};
}

} // namespace sartor::send
