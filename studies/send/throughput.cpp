// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "throughput.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <sched.h>
#include <unistd.h>

#include "apart.h"
#include "kernel_end.h"
#include "sender.h"
#include "sockets.h"

namespace sartor::send {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMessages = 8192;
constexpr std::size_t kUnderWay = 64; // datagrams in flight, few enough that none is lost
constexpr std::size_t kSegment = 1460;
constexpr Clock::duration kLost = std::chrono::milliseconds(100);
constexpr Clock::duration kStandstill = std::chrono::seconds(10);

/// The receiver of messages.
struct End {
  const char *address;
  std::function<std::uint64_t()> received; ///< Bytes received so far.
  std::function<void()> wait;              ///< Waits until more bytes are received.
};

/// lwIP's own sockets at the loopback interface. The sending thread also receives, so that the
/// stack is measured and not thread switches.
class LoopbackEnd {
public:
  LoopbackEnd() : datagrams_(bound(SOCK_DGRAM)), streams_(bound(SOCK_STREAM)) {
    lwip_listen(streams_, 4);
    lwip_fcntl(streams_, F_SETFL, O_NONBLOCK);
  }

  void receive() {
    {
      const WithinMonitor within;
      netif_poll_all();
    }
    if (stream_ < 0)
      stream_ = lwip_accept(streams_, nullptr, nullptr);
    for (const int socket : {datagrams_, stream_})
      for (ssize_t got = 1; socket >= 0 && got > 0; received_ += std::max<ssize_t>(got, 0))
        got = lwip_recv(socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  }
  [[nodiscard]] std::uint64_t received() const noexcept {
    return static_cast<std::uint64_t>(received_);
  }

private:
  static int bound(int kind) {
    const int result = lwip_socket(AF_INET, kind, 0);
    if (result < 0 || bind_to_loopback(result, KernelEnd::port) != 0)
      throw std::runtime_error("lwIP has no socket left");
    return result;
  }

  int datagrams_;
  int streams_;
  int stream_ = -1;
  ssize_t received_ = 0;
  std::vector<char> buffer_ = std::vector<char>(1U << 16U);
};

End loopback_end() {
  static LoopbackEnd end;
  return {"127.0.0.1", [] { return end.received(); }, [] { end.receive(); }};
}

End tap_end() {
  static KernelEnd end;
  static Wire wire{};
  wire.descriptor = end.descriptor();
  wire_up(&wire, "10.9.0.2", "255.255.255.0", KernelEnd::address, wire_write);
  std::thread([] {
    std::uint8_t frame[1U << 11U];
    for (;;)
      if (const ssize_t got = read(wire.descriptor, frame, sizeof frame); got > 0)
        wire_receive(&wire, frame, static_cast<std::size_t>(got));
  }).detach();
  return {KernelEnd::address, [] { return end.received(); }, [] { sched_yield(); }};
}

using Send = std::function<ssize_t(const void *, std::size_t)>;

/// One round: sends all messages of one size and waits until they have arrived.
double seconds_for(const End &end, const Send &send, const Throughput &stream, bool is_stream) {
  static const std::vector<char> data(kSegment, 'x');
  const std::uint64_t before = end.received();
  const auto begin = Clock::now();
  auto progress = begin;
  std::uint64_t seen = before;
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  const std::uint64_t all = stream.size * stream.messages;
  const std::uint64_t most = is_stream ? all : stream.size * kUnderWay;
  while (end.received() - before + lost < all) {
    if (sent < all && sent - (seen - before) - lost < most) {
      // The rest of a message that did not fit is sent by a call of its own.
      const ssize_t taken = send(data.data(), stream.size - sent % stream.size);
      sent += static_cast<std::uint64_t>(std::max<ssize_t>(taken, 0));
      if (taken > 0)
        continue;
    }
    end.wait();
    const auto now = Clock::now();
    if (end.received() != seen) {
      seen = end.received();
      progress = now;
    } else if (now - progress > (is_stream ? kStandstill : kLost)) {
      if (is_stream)
        throw std::runtime_error("a stream stands still");
      lost = sent - (seen - before);
      progress = now;
    }
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int connected(const End &end, int kind) {
  const int socket = lwip_socket(AF_INET, kind, 0);
  if (socket < 0)
    throw std::runtime_error("lwIP has no socket left");
  lwip_fcntl(socket, F_SETFL, O_NONBLOCK); // this thread may have to answer
  redirect(socket, end.address, KernelEnd::port);
  const std::uint64_t before = end.received();
  const auto begin = Clock::now();
  while (end.received() == before) {
    if (Clock::now() - begin > kStandstill)
      throw std::runtime_error("nobody answers at the other end");
    lwip_send(socket, "", 1, MSG_DONTWAIT);
    const auto asked = Clock::now();
    while (end.received() == before && Clock::now() - asked < kLost)
      end.wait();
  }
  return socket;
}

void print(FILE *out, const Throughput &stream) {
  std::fprintf(out, "%s %zu %zu %zu", stream.name.c_str(), stream.size, stream.messages,
               stream.generic.size());
  for (const auto *seconds : {&stream.generic, &stream.specialized})
    for (const double each : *seconds)
      std::fprintf(out, " %.9f", each);
  std::fprintf(out, "\n");
}

void measure(Over over, std::size_t rounds, FILE *out) {
  stack_start();
  const End end = over == Over::loopback ? loopback_end() : tap_end();
  Runtime runtime;
  const QuasiInvariant route = route_quasi_invariant();
  for (const std::size_t size : {std::size_t{64}, std::size_t{1024}, kSegment}) {
    const bool is_stream = size == kSegment;
    const int socket = connected(end, is_stream ? SOCK_STREAM : SOCK_DGRAM);
    Sender sender(runtime, socket);
    sender.add(size);
    Throughput stream{is_stream ? "tcp" : "udp" + std::to_string(size), size, kMessages, {}, {}};
    const Send generic = [socket](const void *data, std::size_t bytes) {
      const WithinMonitor within;
      return lwip_send(socket, data, bytes, MSG_DONTWAIT);
    };
    const Send specialized = [&sender](const void *data, std::size_t bytes) {
      return sender(data, bytes);
    };
    seconds_for(end, generic, stream, is_stream); // lets the window grow completely
    if (!route.wait_until_valid(std::chrono::seconds(10)) || !sender.wait())
      throw std::runtime_error("the facts do not hold");
    for (std::size_t round = 0; round < rounds; ++round) {
      // Each path comes first equally often.
      for (const bool first : {true, false}) {
        const bool is_generic = first == (round % 2 == 0);
        (is_generic ? stream.generic : stream.specialized)
            .push_back(seconds_for(end, is_generic ? generic : specialized, stream, is_stream));
      }
    }
    print(out, stream);
  }
}

Streams parse(const std::string &text) {
  Streams measured;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('!')) {
      measured.missing = line.substr(2);
      continue;
    }
    std::istringstream words(line);
    Throughput stream;
    std::size_t rounds = 0;
    words >> stream.name >> stream.size >> stream.messages >> rounds;
    for (auto *seconds : {&stream.generic, &stream.specialized})
      for (double each = 0; seconds->size() < rounds && words >> each;)
        seconds->push_back(each);
    measured.all.push_back(std::move(stream));
  }
  return measured;
}

} // namespace

Streams measure_throughput(Over over, std::size_t rounds) {
  Streams measured = parse(in_process_apart([&](FILE *out) { measure(over, rounds, out); }));
  if (measured.all.empty() && measured.missing.empty())
    measured.missing = "the process that measures has ended";
  return measured;
}

} // namespace sartor::send
