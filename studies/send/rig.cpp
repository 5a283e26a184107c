// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rig.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "clock.h"
#include "sockets.h"

namespace sartor::send {

namespace {

constexpr std::uint16_t kDiscard = 9;

/// Of each compile so far.
std::vector<std::size_t> code_bytes(const std::filesystem::path &log) {
  std::ifstream lines(log);
  std::vector<std::size_t> bytes;
  for (std::string line; std::getline(lines, line);)
    if (const auto event = nlohmann::json::parse(line); event.value("event", "") == "compile")
      bytes.push_back(event.value("code_bytes", std::size_t{0}));
  return bytes;
}

Options logging(const std::filesystem::path &log) {
  std::filesystem::remove(log);
  Options options;
  options.event_log = log;
  return options;
}

} // namespace

Rig::Rig(const std::filesystem::path &folder)
    : log_(folder / "send_events.jsonl"), runtime_(std::make_unique<Runtime>(logging(log_))) {
  send_stop_clock(1000);
  stack_start();
  wire_up(&wire_, "10.0.0.1", "255.255.255.0", "10.0.0.254", wire_collect);
  peer_.answer();
  const int small = open_datagrams(peer_, "10.0.0.2", kDiscard);
  const int large = open_datagrams(peer_, "10.0.0.2", kDiscard + 1);
  const int stream = open_stream(peer_, "10.0.0.2", kDiscard);
  {
    const WithinMonitor within;
    wire_set_driver(&wire_, wire_drop);
  }
  route_ = std::make_unique<QuasiInvariant>(route_fact());
  add("udp64", small, 64);
  add("udp1024", large, 1024);
  add("tcp", stream, data_.size());
}

void Rig::add(const std::string &name, int socket, std::size_t size) {
  const std::size_t before = code_bytes(log_).size();
  senders_.push_back(std::make_unique<Sender>(*runtime_, socket, std::vector{size}));
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
  // All the window that there is, as in the middle of a stream.
  for (unsigned i = 0; i < 200; ++i) {
    path.generic();
    path.prepare();
  }
  if (!route_->wait_until_holds(std::chrono::seconds(10)) || !senders_.back()->wait())
    throw std::runtime_error("the facts do not hold");
  if (!sender.facts().are_watched())
    throw std::runtime_error("not all that facts are about is guarded");
  // Beside that of this path, code without some of the facts is made.
  const std::vector<std::size_t> made = code_bytes(log_);
  for (std::size_t i = before; i < made.size(); ++i)
    path.specialized_bytes = std::max(path.specialized_bytes, made[i]);
  paths_.push_back(std::move(path));
}

} // namespace sartor::send
